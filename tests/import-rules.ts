import { posix } from 'node:path'

export interface ModuleImport {
  /** The module specifier as written: `../contract/facts.ts`, `node:fs`, `vitest`. */
  readonly specifier: string
  /** Whether this is a type-only import, which runs no code. */
  readonly typesOnly: boolean
}

/** Matches the modules of each program that the command line may import. */
const PUBLIC_ENTRIES = [
  /^emulator\/(?:start-emulator|warm-emulator|create-emulator|vitest)\.ts$/,
  /^conformance\/run-conformance\.ts$/,
  /^conformance\/prove\/(?:run-)?prove\.ts$/,
  /^load\/[^/]+\.ts$/,
  /^reports\/[^/]+\.ts$/,
]

/** Matches the modules that define the document types of reports. */
const REPORT_DOCUMENT = /^reports\/(?:[^/]+-)?document\.ts$/
const LOAD_DOCUMENT = /^reports\/load-(?:parts-)?document\.ts$/
const REPORT_SCHEMA = /^reports\/(?:.+\/)?[^/]+\.json$/

/**
 * Returns all imports of a source file: statements, re-exports, `import()`, `require()`, and `new URL()` of a
 * TypeScript file (as for a worker). An `import()` of an expression has the specifier `?`, because its target is
 * unknown.
 */
export function readImports(source: string): ModuleImport[] {
  const found: ModuleImport[] = []
  const statement = /^\s*(?:import|export)\s+(type\s+)?(?:([\w*\s{},$]+?)\s+from\s+)?(['"])([^'"\n]+)\3/gm
  for (const [, type, names, , specifier = ''] of source.matchAll(statement)) {
    found.push({ specifier, typesOnly: type !== undefined || areAllTypes(names ?? '') })
  }
  for (const [, quote, literal, closing] of source.matchAll(
    /\b(?:import|require)\(\s*(?:(['"`])([^'"`\n]*)(['"`])\s*[,)])?/g,
  )) {
    const isLiteral = literal !== undefined && quote === closing && !literal.includes('${')
    found.push({ specifier: isLiteral ? literal : '?', typesOnly: false })
  }
  for (const [, specifier = ''] of source.matchAll(/\bnew URL\(\s*['"`](\.[^'"`]+\.ts)['"`]/g)) {
    found.push({ specifier, typesOnly: false })
  }
  return found
}

/** Returns whether every name of `{ type A, type B }` is a type, so that the compiler removes the whole import. */
function areAllTypes(names: string): boolean {
  const inner = /^\{(.*)\}$/s.exec(names.trim())?.[1]
  const parts = inner?.split(',').filter((part) => part.trim() !== '') ?? []
  return parts.length > 0 && parts.every((part) => /^\s*type\s/.test(part))
}

/**
 * Returns the reason why a file may not import a module, or undefined if it may.
 * @param file path relative to the repository root, with `/` separators
 */
export function findForbiddenImport(file: string, imported: ModuleImport): string | undefined {
  const { specifier } = imported
  if (specifier === '?') {
    return 'an import() whose target cannot be read from the source'
  }
  if (specifier.startsWith('/') || specifier.startsWith('file:') || /^touchstone(?:\/|$)/.test(specifier)) {
    return `${specifier} is not a relative path`
  }
  if (!specifier.startsWith('.')) {
    return undefined
  }
  const target = posix.join(posix.dirname(file), specifier)
  const [from, to] = [roomOf(file), roomOf(target)]
  // Every program may import common/, which imports none of them.
  const isCommon = to === 'common' && from !== 'contract'
  return from === to || isCommon || mayImport(from, to, file, target, imported.typesOnly)
    ? undefined
    : `${from} may not import ${target}`
}

function mayImport(from: string, to: string, file: string, target: string, typesOnly: boolean): boolean {
  switch (from) {
    case 'emulator':
      return to === 'contract'
    // k6 runs these files, so they may import only modules that do not need Node.js.
    case 'scenarios':
      return to === 'contract'
    case 'load':
      return to === 'contract' || target.startsWith('scenarios/lib/') || (typesOnly && LOAD_DOCUMENT.test(target))
    case 'conformance':
      return (
        to === 'contract' ||
        (/^conformance\/(?:prove|mutation)\//.test(file) && target === 'emulator/start-emulator.ts') ||
        (typesOnly && REPORT_DOCUMENT.test(target)) ||
        REPORT_SCHEMA.test(target)
      )
    case 'cli':
    case 'packaging':
      return isForCommands(to, target)
    // Benchmarks of the package build it first. The benchmark of the reported error bound calculates the bound in the
    // same way as a load run.
    case 'bench':
      return target === 'packaging/build.ts' || target.startsWith('load/metrics/') || isForCommands(to, target)
    case 'reports':
      return to === 'contract'
    // Tests of the whole repository may import any file.
    case 'tests':
      return true
    // The vitest configuration imports its reporters from tests/.
    case 'root':
      return file === 'vitest.config.ts' && to === 'tests'
    // contract/ and common/ import no other top-level directory.
    default:
      return false
  }
}

/** Returns whether command-line programs may import a module of a different top-level directory. */
function isForCommands(to: string, target: string): boolean {
  return to === 'contract' || to === 'root' || PUBLIC_ENTRIES.some((entry) => entry.test(target))
}

function roomOf(path: string): string {
  const [room = '', ...rest] = path.split('/')
  return rest.length === 0 ? 'root' : room
}
