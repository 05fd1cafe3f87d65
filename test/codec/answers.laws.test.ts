import { rows } from '../../src/api/index.js'
import { laws } from './laws.js'

for (const [success, { route }] of new Map(rows.map((row) => [row.success, row]))) {
  laws(`answers of ${route}`, success)
}
