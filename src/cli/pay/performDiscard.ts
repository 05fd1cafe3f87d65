/** Runs `pay --discard`: deletes the drafts of a run. */
import { map, switchMap } from 'rxjs'
import { submittedOf } from '../../client/pay/heldBatches.js'
import { E } from '../../fp.js'
import { number, plural } from '../../report/text.js'
import { accountLine } from '../accountLine.js'
import { failureEnding } from '../endings.js'
import { exportClient } from '../export/exportClient.js'
import { type CommandContext, EXIT_COMPLETE, EXIT_LOOK, EXIT_USAGE } from '../output.js'
import { type Ending, runCommand } from '../runCommand.js'
import { UNSEEN } from './ending.js'
import { connected, type PayFlags } from './performPay.js'

export const performDiscard = (
  context: CommandContext,
  run: string,
  flags: PayFlags,
): Promise<void> =>
  runCommand(
    context,
    {},
    {
      run: (running) =>
        connected(running, flags).pipe(
          switchMap((connection) => {
            running.output.print(accountLine(connection))
            const client = exportClient(running.terminal, { exact: false, ...flags }, connection)
            return client.batchTransfers.discardRun({ run })
          }),
          map((answer): Ending => {
            if (E.isLeft(answer)) {
              const { left } = answer
              if ('run' in left) {
                const isSubmitted = 'held' in left && submittedOf(left.held).length > 0
                return { status: isSubmitted ? EXIT_LOOK : EXIT_USAGE, reason: left.message }
              }
              return failureEnding(left, UNSEEN)
            }
            const { deleted, submitted } = answer.right
            const kept = submitted === 0 ? '' : `; ${number(submitted)} submitted earlier and kept`
            const summary = `${run}: ${plural(deleted, 'draft')} deleted${kept}`
            return { status: EXIT_COMPLETE, summary }
          }),
        ),
    },
  )
