import { expect, test } from 'vitest'
import { SILENCES } from '../../../contract/silences.ts'
import { renderDecisionsPage } from './render-page.ts'
import { SILENCES_DECIDED } from './options-by-gap.ts'

test('renders the page decisions.md (update it by npx vitest run emulator/options/unspecified-behaviour -u)', async () => {
  await expect(renderDecisionsPage()).toMatchFileSnapshot('../../decisions.md')
})

test('assigns options to every gap of the specification', () => {
  expect(Object.keys(SILENCES_DECIDED)).toEqual(SILENCES.map(({ id }) => id))
})
