import { expect, test } from 'vitest'
import { repeat, SERVED, type Sent, summarize } from '../../testing/breakdown-log.ts'

const inParallel = (all: readonly Sent[]) => summarize('7/rejected-in-parallel', all).outcome

test('fails if the target rejects many valid requests that it serves when they run alone', () => {
  const all = [...repeat(6, SERVED), ...repeat(3, { attempts: [402, 200] })]
  expect(inParallel(all)).toMatchObject({ verdict: 'fail', params: { rejected: 3, requests: 9 } })
  expect(inParallel(all.slice(0, 7))).toMatchObject({ verdict: 'warn' })
  expect(inParallel([SERVED, ...repeat(4, { attempts: [400, 400] })])).toMatchObject({ verdict: 'pass' })
  expect(inParallel([SERVED, ...repeat(4, { attempts: [402, 400], kind: 'invalid' })])).toMatchObject({
    verdict: 'pass',
  })
})

test('includes a request that the target rejects twice in a group, but not alone', () => {
  const group = { attempts: [400, 400], parallel: 16 }
  expect(inParallel([SERVED, ...repeat(3, group)])).toMatchObject({ verdict: 'fail', params: { rejected: 3 } })
  expect(inParallel([SERVED, { attempts: [400, 400] }, ...repeat(3, group)])).toMatchObject({ verdict: 'pass' })
})
