import { expect, test } from 'vitest'
import { RequestQueue } from './api-routes.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('starts a burst of requests in order, a few per turn of the event loop', async () => {
  const turns = new RequestQueue()
  const begun: number[] = []
  for (let index = 0; index < 30; index += 1) turns.enqueue(() => begun.push(index))
  const counts = [begun.length]
  while (begun.length < 30) {
    await turn()
    counts.push(begun.length)
  }
  expect(begun).toEqual(Array.from({ length: 30 }, (_, index) => index))
  expect(counts).toEqual([0, 8, 16, 24, 30])
})

test('starts waiting requests before later ones and drops none', async () => {
  const turns = new RequestQueue()
  const begun: string[] = []
  const take = (name: string) => turns.enqueue(() => begun.push(name))
  for (let index = 0; index < 20; index += 1) take('early')
  await turn()
  take('late')
  while (begun.length < 21) await turn()
  expect(begun.indexOf('late')).toBe(20)
  take('again')
  await turn()
  expect(begun.at(-1)).toBe('again')
})
