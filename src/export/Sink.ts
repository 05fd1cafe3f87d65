/**
 * Where rows go: a function. It takes the rows of a page, and answers when they are written; until then
 * no page but the next is asked for.
 */
export type Sink<A> = (rows: ReadonlyArray<A>) => Promise<unknown>
