import { expect, test } from 'vitest'
import { PAGES, SLOW_PAGE } from '../testing/sample-pages.ts'
import { findPageFaults } from '../testing/standalone-page.ts'

// Takes seconds, too long for the unit tests: the page is rendered with tighter limits until it is small enough.
test(`${SLOW_PAGE}: is one file of less than 2 MB that loads nothing`, () =>
  expect(findPageFaults(PAGES[SLOW_PAGE]?.() ?? '')).toEqual([]))
