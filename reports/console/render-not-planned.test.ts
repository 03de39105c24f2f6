import { expect, test } from 'vitest'
import { createCheckEntry, createDocument } from '../testing/sample-document.ts'
import { renderNotPlanned } from './render-conformance.ts'
import { createTerminalColors } from './terminal-text.ts'

const NOT_PLANNED = [
  { id: '5/spending', reason: 'requires the declaration smallBalance', code: 'not-declared' },
  { id: '9/other', reason: 'excluded by --skip', code: 'skipped' },
] as const
const plain = createTerminalColors(false)

test('names the option that would include a check, and does not repeat --only and --skip', () => {
  const document = { ...createDocument({ checks: [createCheckEntry('5/a', 'pass')] }), notPlanned: NOT_PLANNED }
  expect(renderNotPlanned(document, plain)).toEqual([
    '',
    'Not part of this run',
    '  1 check: requires the declaration smallBalance (5/spending)',
  ])
})

test('shows every reason if no check ran', () => {
  const document = { ...createDocument({ checks: [] }), notPlanned: NOT_PLANNED }
  expect(renderNotPlanned(document, plain).join('\n')).toContain('1 check: excluded by --skip (9/other)')
})
