/** The tables of the interface, under the names callers use. */
import { charges } from './charges.js'

export const api = { charges }
