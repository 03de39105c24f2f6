import { expect, test } from 'vitest'
import { renderBadge } from './render-badge.ts'
import { createFullDocument } from './testing/full-document.ts'
import { createDocument, createCheckEntry } from './testing/sample-document.ts'
import { createLoadDocument } from './testing/sample-load.ts'

test('shows the verdict in words', () => {
  const good = createDocument({ checks: [createCheckEntry('1/a', 'pass')], verdict: 'conformant' })
  const titles = [good, createFullDocument(), createLoadDocument()].map(
    (document) => /<title>(.*)<\/title>/.exec(renderBadge(document))?.[1],
  )
  expect(titles).toEqual([
    'conformance: conformant',
    'conformance: non-conformant: 1 failed, gateway non-conformant: 1 failed',
    'load: budget broken',
  ])
})
