import { expect, test } from 'vitest'
import { renderCoverage } from './coverage-reporter.ts'

const file = (path: string, covered: number, branches = covered) => ({
  path,
  statements: { total: 10, covered },
  branches: { total: 8, covered: branches },
})

test('folders are summed up two deep, and files of which little was run are named, the least first', () => {
  const files = [file('b/x.ts', 8), file('a/b/c/x.ts', 10, 6), file('a/b/y.ts', 9, 8), file('a/z.ts', 0)]
  expect(renderCoverage(files)).toBe(
    [
      '| folder | files | statements | branches |',
      '|---|---|---|---|',
      '| a | 1 | 0.0 % | 0.0 % |',
      '| a/b | 2 | 95.0 % | 87.5 % |',
      '| b | 1 | 80.0 % | 100.0 % |',
      '| all | 4 | 67.5 % | 68.8 % |',
      '',
      'Files of which less than 90 % was run:',
      '  0 %  a/z.ts (10 statements were not run)',
      '  80 %  b/x.ts (2 statements were not run)',
    ].join('\n'),
  )
})

test('what has nothing to run was run', () => {
  const none = { total: 0, covered: 0 }
  expect(renderCoverage([{ path: 'a/types.ts', statements: none, branches: none }])).toMatch(/\| a \| 1 \| 100\.0 % \|/)
  expect(renderCoverage([file('a/x.ts', 10, 8)])).not.toContain('Files of which')
})
