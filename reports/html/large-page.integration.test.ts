import { expect, test } from 'vitest'
import { PAGES, SLOW_PAGE } from '../testing/sample-pages.ts'
import { findPageProblems } from '../testing/standalone-page.ts'

// Takes seconds, too long for the unit tests: the page is rendered with tighter limits until it is small enough.
test(`${SLOW_PAGE}: the page is one file of less than 2 MB without external resources`, () =>
  expect(findPageProblems(PAGES[SLOW_PAGE]?.() ?? '')).toEqual([]))
