/** `npm run bench -- decode [pages | shares | extras] [arguments]` */
import { runPart } from '../runPart.ts'

runPart(import.meta.url, ['pages', 'shares', 'extras'])
