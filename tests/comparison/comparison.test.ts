import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMPARED_TASKS, COMPARED_TOOLS, countLines, readProgram, renderComparisonTable } from './programs.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reference/comparison.md'), 'utf8')

describe.each(COMPARED_TASKS)('$title', (task) => {
  test('needs at most as many lines with touchstone as with aimock', () => {
    const [touchstone = 0, aimock = 0] = COMPARED_TOOLS.map((tool) => countLines(readProgram(tool, task)))
    expect(touchstone).toBeGreaterThan(5)
    expect(touchstone).toBeLessThanOrEqual(aimock)
  })
})

test('docs/reference/comparison.md shows the number of lines of each program', () => {
  expect(PAGE).toContain(renderComparisonTable())
})

test('counts lines without empty lines and comments', () => {
  expect(countLines('// a comment\n\nconst a = 1\n  // another\n  call()\n')).toBe(2)
})
