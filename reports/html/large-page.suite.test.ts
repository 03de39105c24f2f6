import { expect, test } from 'vitest'
import { PAGES, SLOW_PAGE } from '../testing/sample-pages.ts'
import { findPageProblems } from '../testing/standalone-page.ts'

// This is an integration test, because it takes seconds: it renders the page with ever tighter limits until the page is
// small enough.
test(`${SLOW_PAGE}: the page is one file of less than 2 MB without external resources`, () =>
  expect(findPageProblems(PAGES[SLOW_PAGE]?.() ?? '')).toEqual([]))
