import { expect, test } from 'vitest'
import { RequestQueue } from './api-routes.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('starts a burst of requests in order, a few per turn of the event loop', async () => {
  const turns = new RequestQueue()
  const started: number[] = []
  for (let index = 0; index < 30; index += 1) turns.enqueue(() => started.push(index))
  const counts = [started.length]
  while (started.length < 30) {
    await turn()
    counts.push(started.length)
  }
  expect(started).toEqual(Array.from({ length: 30 }, (_, index) => index))
  expect(counts).toEqual([0, 8, 16, 24, 30])
})

test('starts waiting requests before later ones and drops none', async () => {
  const turns = new RequestQueue()
  const started: string[] = []
  const take = (name: string) => turns.enqueue(() => started.push(name))
  for (let index = 0; index < 20; index += 1) take('early')
  await turn()
  take('late')
  while (started.length < 21) await turn()
  expect(started.indexOf('late')).toBe(20)
  take('again')
  await turn()
  expect(started.at(-1)).toBe('again')
})
