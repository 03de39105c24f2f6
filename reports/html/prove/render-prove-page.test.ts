import { expect, test } from 'vitest'
import { SAMPLE_PROVE } from '../../testing/sample-prove.ts'
import { renderProvePage } from './render-prove-page.ts'

/** Returns the visible text of a page, with whitespace collapsed. */
function textOf(page: string): string {
  const body = page.slice(page.indexOf('<body>'))
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

test('the page of a proof shows the verdict first, then the shortfalls and the mutants', () => {
  const page = renderProvePage(SAMPLE_PROVE)
  const text = textOf(page)
  const inOrder = [
    'Not proven',
    '1 of 2 mutants were detected as expected, by 1 of 1 check.',
    'Not detected as expected',
    'did not notice ^b$ pass: fine',
    'fail: odd',
    '§1 Service',
    'another thing',
  ]
  const places = inOrder.map((part) => text.lastIndexOf(part))
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(text).toMatch(/1\/one [^/]+1\/a +1 /)
  expect(page).toContain('<span class="bad">2/a (not as expected)</span>')
})

test('the page of a proof escapes text of a target', () => {
  const [first] = SAMPLE_PROVE.mutants
  const actual = 'fail: <script>alert(1)</script>" onload="x \u202e\u001b[2J'
  const shortfalls = [{ check: '1/a', why: 'did not notice', expected: '^b$', actual }]
  const mutants = first === undefined ? [] : [{ ...first, shortfalls }]
  const page = renderProvePage({ ...SAMPLE_PROVE, failingWithout: [{ check: '1/a', actual }], mutants })
  expect(page.match(/<script/g)).toHaveLength(1) // Finds only the page's own script.
  expect(page).not.toMatch(/" onload="|\u202e|\u001b/)
  expect(page).toContain('&lt;script&gt;')
  expect(page).toContain("default-src 'none'")
})
