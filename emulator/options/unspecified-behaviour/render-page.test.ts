import { expect, test } from 'vitest'
import { SILENCES } from '../../../contract/silences.ts'
import { renderDecisionsPage } from './render-page.ts'
import { SILENCES_DECIDED } from './options-by-gap.ts'

test('the page is the one that the table gives (npx vitest run emulator/decisions -u writes it anew)', async () => {
  await expect(renderDecisionsPage()).toMatchFileSnapshot('../../decisions.md')
})

test('every silence of the document is decided, and no other', () => {
  expect(Object.keys(SILENCES_DECIDED)).toEqual(SILENCES.map(({ id }) => id))
})
