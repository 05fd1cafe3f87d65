/** Facts for the pages, read when the site is built. */
import { type Facts, facts } from '../facts.ts'

export declare const data: Facts
export default { load: facts }
