import { describe, expect, test } from 'vitest'
import { readRepositoryFiles, readSourceFiles } from './repository-files.ts'

const MAX_FILE_LINES = 350

/** Matches uses of the type `any`. Comments are removed before matching, because they may contain the word. */
const ANY = /(?:\bas|[:<|,&])\s*any\b\s*(?:[;,)=\]}>|&]|$)|\bany\[\]/m
/**
 * Matches comments that disable a lint rule or the compiler without a reason, which must follow ` -- ` or be on the
 * same line.
 */
const SWITCHED_OFF = /@ts-(?:ignore|nocheck)|(?:oxlint|eslint)-disable(?!.* -- \w)|@ts-expect-error\s*$/m
/** Matches absolute paths of a developer's machine. */
const MACHINE_PATH = /(?<![\w.-])\/(?:work|root|tmp|home|Users)\/\w/
const REGISTRY_HOST = /\b(?:registry|proxy|index|static|files|deb|repo1?)\.(?!ts\b)[a-z]+\.[a-z]{2,}\b/

describe('source files', () => {
  const sources = readSourceFiles()
  const code = sources.map(({ path, text }) => ({ path, text: withoutComments(text) }))

  test('source files have at most 350 lines', () => {
    const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_FILE_LINES)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('source files do not use the type "any"', () => {
    expect(matching(ANY, withoutThisFile(code))).toEqual([])
  })

  test('source files disable no lint rule without a reason', () => {
    expect(matching(SWITCHED_OFF, withoutThisFile(sources))).toEqual([])
  })
})

describe('text files', () => {
  const files = readRepositoryFiles()

  test('text files contain no path of one machine and no host of a package registry', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(matching(MACHINE_PATH, withoutThisFile(files))).toEqual([])
    expect(matching(REGISTRY_HOST, withoutThisFile(files))).toEqual([])
  })

  test('text files end with a line feed and contain no carriage return', () => {
    // The specification is a byte-for-byte copy, so it keeps its line endings.
    const ours = files.filter(({ path }) => path !== 'contract/spec.md')
    expect(ours.filter(({ text }) => !text.endsWith('\n') || text.includes('\r')).map(({ path }) => path)).toEqual([])
  })
})

describe('the patterns find', () => {
  const samples: [name: string, pattern: RegExp, found: string[], passed: string[]][] = [
    [
      'the type "any"',
      ANY,
      ['let x: any', 'const y = x as any', 'f<any>()', 'x: any[] = []', 'Record<string, any>', '(a: any) => 1'],
      ['let x: anyone', "'as any other'", 'case: any.thing', 'many[]'],
    ],
    [
      'disabled lint rules',
      SWITCHED_OFF,
      ['// @ts-ignore', '// @ts-expect-error\n', '// oxlint-disable-next-line no-var', '/* eslint-disable */'],
      [
        '// @ts-expect-error the types lack this overload',
        '// oxlint-disable-next-line no-var -- sloppy mode is the subject',
      ],
    ],
    [
      'paths of one machine',
      MACHINE_PATH,
      // Each sample contains an underscore, which `replace` removes. Otherwise, the pattern would match this file.
      ["'/tmp_/x'", 'cd /work_/main', '(/root_/a)', 'file:///home_/me'].map((text) => text.replace('_', '')),
      ['a/tmp_/x', './work_/x', '/workers/', '/tmp'].map((text) => text.replace('_', '')),
    ],
    [
      'hosts of package registries',
      REGISTRY_HOST,
      [`https://${'registry'}.example.org/x`, `${'proxy'}.example.org`],
      ['registry.ts', 'npm install', 'static.method()'],
    ],
  ]

  test.each(samples)(
    'the pattern for %s matches all samples and no counterexample',
    (_name, pattern, found, passed) => {
      expect(found.filter((text) => !pattern.test(text))).toEqual([])
      expect(passed.filter((text) => pattern.test(text))).toEqual([])
    },
  )

  test('the search for the type "any" ignores comments', () => {
    expect(ANY.test(withoutComments('// of: any\nlet x = 1 /* <any> */'))).toBe(false)
    expect(ANY.test(withoutComments("const url = 'http://x' as any"))).toBe(true)
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/(?:^|\s)\/\/.*$/gm, '')
}

/** Excludes this file, which contains samples of the patterns. */
function withoutThisFile<File extends { path: string }>(files: readonly File[]): File[] {
  return files.filter(({ path }) => path !== 'tests/repository.test.ts')
}

/** Returns the first match of a pattern in each file, as `path: text`. */
function matching(pattern: RegExp, files: readonly { path: string; text: string }[]): string[] {
  return files.flatMap(({ path, text }) => {
    const match = pattern.exec(text)
    return match ? [`${path}: ${match[0]}`] : []
  })
}
