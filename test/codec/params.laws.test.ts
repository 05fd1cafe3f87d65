import { rows } from '../../src/api/index.js'
import { laws } from './laws.js'

for (const [params, { route }] of new Map(rows.map((row) => [row.params, row]))) {
  laws(`params of ${route}`, params)
}
