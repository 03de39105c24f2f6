import { expect, test } from 'vitest'
import { observeFact } from './expect.ts'
import { formatLibraryOption } from '../options/table-options.ts'
import { findStreamUsageRemark } from '../engine/build-document.ts'
import { describeFinding } from './sentences.ts'

test('remarks on streams without the usage that the request asks for', () => {
  const remarksOn = (usage: 'none' | 'with-choices' | 'without-choices') =>
    findStreamUsageRemark([observeFact({ kind: 'stream-usage', usage })])
  expect(remarksOn('none')).toEqual([{ code: 'stream-usage-missing', params: {} }])
  expect([...remarksOn('with-choices'), ...remarksOn('without-choices'), ...findStreamUsageRemark([])]).toEqual([])
})

test('suggests --without only to a tester who did not set it', () => {
  const describe = (params: { readonly models: number; readonly isWithout?: true }) =>
    describeFinding({ code: 'own-models', params }, formatLibraryOption)
  expect(describe({ models: 2 })).toContain(' and the operations that the target does not offer with --without, or')
  expect(describe({ models: 2, isWithout: true })).toContain(' declare the models with --model, or in a target file')
})
