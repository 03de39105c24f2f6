import { expect, test } from 'vitest'
import { observeFact } from './expect.ts'
import { findStreamUsageRemark } from './run-remark.ts'

test('remarks on streams without the usage that the request asks for', () => {
  const remarksOn = (usage: 'none' | 'with-choices' | 'without-choices') =>
    findStreamUsageRemark([observeFact({ kind: 'stream-usage', usage })])
  expect(remarksOn('none')).toEqual([{ code: 'stream-usage-missing', params: {} }])
  expect([...remarksOn('with-choices'), ...remarksOn('without-choices'), ...findStreamUsageRemark([])]).toEqual([])
})
