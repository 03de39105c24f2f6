import { expect, test } from 'vitest'
import { ParallelGroup } from './parallel-group.ts'

test('repeats all requests of the group after the longest delay if one of them needs another attempt', async () => {
  const group = new ParallelGroup(3)
  expect(await Promise.all([group.agree(undefined), group.agree(1000), group.agree(2000)])).toEqual([2000, 2000, 2000])
  expect(await Promise.all([group.agree(undefined), group.agree(undefined), group.agree(undefined)])).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('does not wait for a request that is not sent', async () => {
  const group = new ParallelGroup(2)
  const agreed = group.agree(1000)
  group.leave()
  expect(await agreed).toBe(1000)
})
