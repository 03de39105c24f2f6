import { describe, expect, test } from 'vitest'
import { findForbiddenImport, readImports } from './import-rules.ts'
import { readSourceFiles } from './repository-files.ts'

/**
 * Path of the file that may call import() with an expression, because it loads a new copy of the program for each run.
 */
const EXEMPT = 'cli/testing/shared-process.ts'

function findViolations(path: string, text: string): string[] {
  return readImports(text).flatMap((imported) => {
    const violation = findForbiddenImport(path, imported)
    return violation === undefined ? [] : [`${path}: ${violation}`]
  })
}

test('every import follows the rules of its directory', () => {
  const sources = readSourceFiles()
  expect(sources.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['contract/facts.ts', 'tests/import-rules.ts']),
  )
  const violations = sources
    .filter(({ path }) => !path.startsWith('tests/') && path !== EXEMPT)
    .flatMap(({ path, text }) => findViolations(path, text))
  expect(violations).toEqual([])
})

describe('forbidden imports', () => {
  const forbidden: [file: string, source: string, target: string][] = [
    ['emulator/a.ts', "import { x } from '../conformance/run-conformance.ts'", 'conformance/run-conformance.ts'],
    ['emulator/a.ts', "import '../package.json'", 'package.json'],
    ['conformance/a.ts', "export { x } from '../emulator/start-emulator.ts'", 'emulator/start-emulator.ts'],
    ['conformance/a.ts', "const x = await import('../emulator/start-emulator.ts')", 'emulator/start-emulator.ts'],
    ['conformance/a.ts', 'await import(\n  `../emulator/start-emulator.ts`,\n)', 'emulator/start-emulator.ts'],
    ['conformance/a.ts', "fork(new URL('../cli/touchstone.ts', import.meta.url))", 'cli/touchstone.ts'],
    ['conformance/a.ts', "import { x } from '../reports/conformance-document.ts'", 'reports/conformance-document.ts'],
    [
      'conformance/a.ts',
      "import { type X, y } from '../reports/conformance-document.ts'",
      'reports/conformance-document.ts',
    ],
    ['conformance/a.ts', "import type { X } from '../reports/progress-line.ts'", 'reports/progress-line.ts'],
    ['conformance/prove/a.ts', "import { x } from '../../emulator/core/pipeline.ts'", 'emulator/core/pipeline.ts'],
    ['scenarios/a.ts', "import {\n  x,\n  y,\n} from '../emulator/start-emulator.ts'", 'emulator/start-emulator.ts'],
    ['load/a.ts', "import { x } from '../reports/load-document.ts'", 'reports/load-document.ts'],
    ['load/k6/a.ts', "import { x } from '../../scenarios/chat.ts'", 'scenarios/chat.ts'],
    ['load/a.ts', "import { x } from '../emulator/start-emulator.ts'", 'emulator/start-emulator.ts'],
    ['scenarios/lib/a.ts', "import type { X } from '../../load/run-load.ts'", 'load/run-load.ts'],
    ['cli/a.ts', "import { x } from '../load/k6/run-k6.ts'", 'load/k6/run-k6.ts'],
    ['scenarios/lib/a.ts', "import type { X } from '../../reports/load-document.ts'", 'reports/load-document.ts'],
    ['reports/a.ts', "import { x } from '../load/find-load.ts'", 'load/find-load.ts'],
    ['contract/a.ts', "import { x } from '../emulator/core/pipeline.ts'", 'emulator/core/pipeline.ts'],
    ['contract/a.ts', "import { x } from '../common/secrets/text-mask.ts'", 'common/secrets/text-mask.ts'],
    ['common/a.ts', "import { KEY_PREFIX } from '../contract/facts.ts'", 'contract/facts.ts'],
    ['cli/commands/a.ts', "import { x } from '../../conformance/engine/check.ts'", 'conformance/engine/check.ts'],
  ]

  test.each(forbidden)('finds the forbidden import in %s: %s', (file, source, target) => {
    const room = file.slice(0, file.indexOf('/'))
    expect(findViolations(file, `const before = 1\n${source}\n`)).toEqual([`${file}: ${room} may not import ${target}`])
  })

  test('finds a forbidden import with a dynamic path, an absolute path, or the package itself', () => {
    expect(findViolations('emulator/a.ts', 'await import(name)')).toHaveLength(1)
    expect(findViolations('emulator/a.ts', 'await import(`../${room}/x.ts`)')).toHaveLength(1)
    expect(findViolations('emulator/a.ts', "import x from '/opt/x.ts'")).toHaveLength(1)
    expect(findViolations('emulator/a.ts', "import { x } from 'touchstone/vitest'")).toHaveLength(1)
  })
})

describe('allowed imports', () => {
  const allowed: [file: string, source: string][] = [
    ['reports/a.ts', "import { x } from '../common/secrets/text-mask.ts'"],
    ['emulator/core/a.ts', "import { x } from '../pipeline.ts'\nexport { y } from './b.ts'"],
    ['conformance/a.ts', "import type { X } from '../reports/conformance-document.ts'"],
    ['conformance/a.ts', "import { type X, type Y } from '../reports/conformance-document.ts'"],
    ['conformance/a.ts', "import schema from '../reports/conformance.schema.json' with { type: 'json' }"],
    ['conformance/prove/a.ts', "import { startEmulator } from '../../emulator/start-emulator.ts'"],
    ['load/a.ts', "import type { X } from '../reports/load-document.ts'"],
    ['cli/commands/a.ts', "await import('../../emulator/start-emulator.ts')"],
    [
      'cli/a.ts',
      "import { x } from '../conformance/run-conformance.ts'\nimport { y } from '../reports/progress-line.ts'",
    ],
  ]

  test.each(allowed)('accepts the import in %s: %s', (file, source) => {
    expect(findViolations(file, source)).toEqual([])
    // Ensures that the scan finds every import. Otherwise, an empty result would not mean that all imports are allowed.
    expect(readImports(source).length).toBeGreaterThanOrEqual(source.split('\n').length)
  })
})
