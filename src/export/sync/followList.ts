/** Keeps a list current by reading it in full in each poll, because the service offers no other way to find changes. */
import { firstValueFrom, type Observable, of, takeUntil, toArray } from 'rxjs'
import { Absences } from '../../changes/Absences.js'
import { PollInterrupted } from '../../changes/Asking.js'
import { ListPoll, type RowNews } from '../../changes/ListPoll.js'
import { E } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import { type ExportSource, sourceOf } from '../source/ExportSource.js'
import type { PageOrFailure } from '../source/SourcePage.js'
import { sortPage } from '../source/sortPage.js'
import type { Transfer } from '../transfer/Transfer.js'
import { rejectedRows, type TransferEvent } from '../transfer/TransferEvent.js'
import { type FollowPace, followPolls } from './followPolls.js'

/** Polls the list until the transfer is stopped or its lease is lost. Replaces all rows whenever the list has changed. */
export const followList = <A>(
  transfer: Transfer<A, A>,
  list: ExportSource<A>,
  pace: FollowPace,
): Observable<TransferEvent> =>
  followPolls(transfer, pace, (stop) => {
    const { timer, allowGone: allowed } = pace
    const { name, rowsThere, check } = transfer.session.destination
    const { redact = (row: unknown) => row } = transfer.plan
    const absences = new Absences({ name, allowed, now: () => timer.now() })
    let polls: ListPoll<A> | undefined
    return async function* () {
      polls ??= new ListPoll<A>(absences, await rowsThere?.())
      const upTo = timer.now()
      const pages = await readWhole(list, stop)
      const news: Array<RowNews<A>> = []
      let gone = 0
      for await (const page of polls.next(pages)) {
        news.push(...page.news)
        gone += page.gone
        if (page.doubt !== undefined) yield { ...transfer.shown(), outage: page.doubt }
      }
      if (absences.held.size > 0) return yield transfer.shown()
      if (news.length + gone > 0) {
        const sort = sortPage<A, A>({ key: rowId, check, redact })
        const sorted = pages.filter(E.isRight).map(({ right }) => sort(right))
        const good = sorted.flatMap((page) => page.good)
        const bad = sorted.flatMap((page) => page.bad)
        const rejected = rejectedRows(bad)
        await transfer.readAgain(good, bad, { rejected, upTo }, good.length, 'finish')
        for (const row of news) row.remember()
      }
      yield { ...transfer.shown(), upTo }
    }
  })

/** Reads all pages into memory, because they replace the rows in one step. Rejects with `PollInterrupted` if stopped. */
const readWhole = async <A>(
  list: ExportSource<A>,
  stop: Observable<unknown>,
): Promise<ReadonlyArray<PageOrFailure<A>>> => {
  const pages = sourceOf(list, false)
    .pages()
    .drain((page) => of(page))
    .pipe(toArray(), takeUntil(stop))
  const read = await firstValueFrom(pages, { defaultValue: undefined })
  if (read === undefined) throw new PollInterrupted(undefined)
  return read
}
