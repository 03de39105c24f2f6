import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('a burst is let through in order, a few in each turn of the event loop', async () => {
  const turns = new Turns()
  const begun: number[] = []
  const all = Array.from({ length: 30 }, async (_, index) => {
    const wait = turns.take()
    if (wait !== undefined) await wait
    begun.push(index)
  })
  const atOnce = begun.length
  const perTurn: number[] = []
  while (begun.length < 30) {
    const before = begun.length
    await new Promise((resolve) => setImmediate(resolve))
    perTurn.push(begun.length - before)
  }
  await Promise.all(all)
  expect(begun).toEqual(Array.from({ length: 30 }, (_, index) => index))
  expect([atOnce, Math.max(...perTurn)]).toEqual([8, 8])
})

test('who comes later does not overtake who waits', async () => {
  const turns = new Turns()
  const begun: string[] = []
  const take = async (name: string) => {
    await turns.take()
    begun.push(name)
  }
  const early = Array.from({ length: 20 }, () => take('early'))
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([...early, take('late')])
  expect(begun.indexOf('late')).toBe(20)
})
