/** `npm run bench -- scheduler [simulate | micro | refused | overhead | waiting] [arguments]` */
import { runPart } from '../runPart.ts'

runPart(import.meta.url, ['simulate', 'micro', 'refused', 'overhead', 'waiting'])
