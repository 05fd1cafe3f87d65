/** Lists that lag behind what was created. */
import { firstValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { wasRecovered } from '../../src/index.js'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'
import { collect } from '../../src/stream/index.js'
import { item } from '../support/batch.js'
import { virtualTime } from '../support/idleClock.js'
import { NEW_CHARGE } from '../support/lab.js'
import { sandboxClient } from '../support/sandboxClient.js'

const account = (options: Partial<SandboxOptions>) => {
  const { timer, run, pass } = virtualTime()
  const { fetch } = createSandbox({ charges: 0, timer, ...options })
  const client = sandboxClient(fetch, { timer, random: () => 0 })
  return { client, run, pass }
}

const rightOf = <A>(ea: E.Either<unknown, A>): A => {
  if (E.isLeft(ea)) throw new Error(JSON.stringify(ea.left))
  return ea.right
}

describe('a sandbox whose lists lag', () => {
  it('shows what was created after the delay, and at once by its id', async () => {
    const { client, run, pass } = account({ listDelay: 2_000 })
    const charge = rightOf(await run(firstValueFrom(client.charges.create(NEW_CHARGE))))
    const batch = rightOf(await run(firstValueFrom(client.batchTransfers.create({}))))
    const count = async () => [
      rightOf(await run(firstValueFrom(client.charges.list().pipe(collect({ max: 100 }))))).length,
      rightOf(await run(firstValueFrom(client.batchTransfers.list().pipe(collect({ max: 100 })))))
        .length,
    ]
    expect(rightOf(await run(firstValueFrom(client.charges.retrieve(charge)))).id).toBe(charge.id)
    expect(rightOf(await run(firstValueFrom(client.batchTransfers.retrieve(batch)))).id).toBe(
      batch.id,
    )
    expect(await count()).toEqual([0, 0])
    await pass(2_000)
    expect(await count()).toEqual([1, 1])
  })

  it('shows the items of a call one by one', async () => {
    const { client, run, pass } = account({ itemsDelay: 1_000 })
    const { id } = rightOf(await run(firstValueFrom(client.batchTransfers.create({}))))
    const items = Array.from({ length: 10 }, (_, n) => item(n))
    const added = rightOf(await run(firstValueFrom(client.batchTransfers.addItems({ id, items }))))
    expect(added.total_item_count).toBe(10)
    const shown = async () =>
      rightOf(
        await run(firstValueFrom(client.batchTransfers.items({ id }).pipe(collect({ max: 100 })))),
      ).length
    expect(await shown()).toBe(0)
    await pass(500)
    expect(await shown()).toBe(5)
    await pass(500)
    expect(await shown()).toBe(10)
  })

  it.each([0, 700, 3_000])('by %i ms has no payment refused or done twice', async (listDelay) => {
    const { client, run } = account({
      listDelay,
      itemsDelay: listDelay,
      repeatedItems: 'refused',
      faults: ({ route, nth }) =>
        route.startsWith('POST') && nth === 1 && !route.includes('login')
          ? 'reset-after'
          : undefined,
    })
    const charge = rightOf(await run(firstValueFrom(client.charges.create(NEW_CHARGE))))
    const batch = rightOf(await run(firstValueFrom(client.batchTransfers.create({ name: 'May' }))))
    const items = Array.from({ length: 10 }, (_, n) => item(n))
    const adding = client.batchTransfers.addItems({ id: batch.id, items })
    const filled = rightOf(await run(firstValueFrom(adding)))
    expect([charge, batch, filled].map(wasRecovered)).toEqual([true, true, true])
    expect(filled.total_item_count).toBe(10)
  })

  it.each([
    ['source_amount', -1],
    ['transfer_amount', 0.1 + 0.2],
    ['transfer_amount', '1.00001'],
  ])('answers 400 to an amount that no currency holds: %s %s', async (name, amount) => {
    const { client, run } = account({})
    const unchecked = client.with({ check: false }).batchTransfers
    const { id } = rightOf(await run(firstValueFrom(unchecked.create({}))))
    const { transfer_amount: _, ...rest } = item(1)
    const adding = unchecked.addItems({ id, items: [{ ...rest, [name]: amount }] })
    expect(await run(firstValueFrom(adding))).toMatchObject(
      E.left({ _tag: 'Refused', status: 400, source: `items[0].${name}` }),
    )
    const charge = client.with({ check: false }).charges.create({ ...NEW_CHARGE, amount })
    expect(await run(firstValueFrom(charge))).toMatchObject(
      E.left({ _tag: 'Refused', status: 400, source: 'amount' }),
    )
  })
})
