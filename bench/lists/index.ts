/** `npm run bench -- lists [speed | memory] [arguments]` */
import { runPart } from '../runPart.ts'

runPart(import.meta.url, ['speed', 'memory'])
