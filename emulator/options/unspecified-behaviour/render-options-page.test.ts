import { expect, test } from 'vitest'
import { UNSPECIFIED_BEHAVIOUR } from '../../../contract/unspecified-behaviour.ts'
import { renderOptionsPage } from './render-options-page.ts'
import { OPTIONS_BY_UNSPECIFIED_BEHAVIOUR } from './options-by-unspecified-behaviour.ts'

test('renders the page behaviour-options.md (update it by npx vitest run emulator/options/unspecified-behaviour -u)', async () => {
  await expect(renderOptionsPage()).toMatchFileSnapshot('../../behaviour-options.md')
})

test('assigns options to every unspecified behaviour', () => {
  expect(Object.keys(OPTIONS_BY_UNSPECIFIED_BEHAVIOUR)).toEqual(UNSPECIFIED_BEHAVIOUR.map(({ id }) => id))
})
