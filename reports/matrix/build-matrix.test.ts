import { expect, test } from 'vitest'
import { renderMatrixMarkdown } from '../markdown/render-matrix.ts'
import { createCheckEntry, createDocument } from '../testing/sample-document.ts'
import { buildMatrix } from './build-matrix.ts'

const observed = (actual: string) =>
  createCheckEntry('7/s', 'observed', {
    level: 'unspecified',
    title: 'the handling of GET',
    actual: `GET: ${actual}`,
  })
const one = createDocument({
  checks: [
    createCheckEntry('1/a', 'pass'),
    createCheckEntry('1/b', 'pass', { requirement: '1/a' }),
    observed('returned 404'),
  ],
  verdict: 'conformant',
})
const two = createDocument({
  checks: [
    createCheckEntry('1/a', 'pass'),
    createCheckEntry('1/b', 'fail', { requirement: '1/a', actual: 'returned 500' }),
    observed('returned 405'),
  ],
})
const matrix = buildMatrix([
  { name: 'one', document: one },
  { name: 'two', document: two },
  { name: 'none', document: createDocument({ checks: [], verdict: 'incomplete' }) },
])

test('shows the worst verdict of the checks of a requirement in its cell', () => {
  expect(matrix.requirements.find(({ id }) => id === '1/a')?.cells).toEqual([
    { verdict: 'pass', count: 2, checks: 2, actual: '' },
    { verdict: 'fail', count: 1, checks: 2, actual: 'returned 500' },
    { verdict: 'not run', count: 0, checks: 0, actual: '' },
  ])
})

test('compares unspecified behaviour of the targets, and marks differences', () => {
  expect(matrix.unspecified).toEqual([
    { id: '7/s', subject: 'GET', cells: ['returned 404', 'returned 405', ''], isAlike: false },
  ])
})

test('renders differences as Markdown', () => {
  const text = renderMatrixMarkdown(matrix)
  expect(text).toContain('| `1/a` | ✅ pass | ❌ fail 1 of 2 | – |')
  expect(text).toContain('| `GET` | `returned 404` | `returned 405` | – |')
})
