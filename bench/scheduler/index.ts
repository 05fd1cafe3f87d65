/** `npm run bench -- scheduler [simulate | micro | refused | informed | overhead | real] [arguments]` */
import { runPart } from '../runPart.ts'

runPart(import.meta.url, ['simulate', 'micro', 'refused', 'informed', 'overhead', 'real'])
