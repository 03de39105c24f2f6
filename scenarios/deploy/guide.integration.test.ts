import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const GUIDE = readFileSync(new URL('README.md', import.meta.url), 'utf8')
let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'touchstone-guide-'))
})

afterEach(() => rmSync(directory, { recursive: true }))

/**
 * Returns the lines of the guide's shell blocks from the line that starts with `first` to the line that starts with
 * `last`.
 */
function linesOfGuide(first: string, last: string): string {
  const start = GUIDE.indexOf(`\n${first}`)
  const end = GUIDE.indexOf(`\n${last}`, start)
  if (start < 0 || end < 0) throw new Error(`The guide has no lines from ${first} to ${last}.`)
  return GUIDE.slice(start, GUIDE.indexOf('\n', end + 1))
}

/**
 * Runs commands of the guide in the test directory. The shell scripts in `programs` replace the programs of the same
 * names.
 */
function runGuide(commands: string, programs: Readonly<Record<string, string>>) {
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(directory, name), 0o755)
  }
  const env = { ...process.env, PATH: `${directory}${delimiter}${process.env['PATH'] ?? ''}` }
  return spawnSync('sh', ['-c', commands], { cwd: directory, env, encoding: 'utf8' })
}

test.each(['finished', 'error'])('the guide waits until the stage of the test run is %s', (last) => {
  // Each request for the stage of the run removes the first line of this file.
  writeFileSync(join(directory, 'stages'), `created\nstarted\n${last}\nstarted\n`)
  const kubectl = `head -n 1 stages; tail -n +2 stages > rest; mv rest stages`
  const { stdout } = runGuide(linesOfGuide('for _ in', 'echo "$stage"'), { kubectl, sleep: 'exit 0' })
  expect(stdout).toBe(`${last}\n`)
  expect(readFileSync(join(directory, 'stages'), 'utf8')).toBe('started\n')
})

test('the guide collects the printed results, and skips pods without one', () => {
  const kubectl = `case "$*" in
    'get pods '*) echo pod/a; echo pod/b ;;
    'logs pod/a') echo 'time=1 level=info'; echo '{"version":1}'; echo 'level=info' ;;
    'logs pod/b') echo 'level=error msg="no result"' ;;
    *) exit 1 ;;
  esac`
  const { status } = runGuide(linesOfGuide('mkdir -p results', 'done'), { kubectl })
  expect(status).toBe(0)
  expect(readdirSync(join(directory, 'results'))).toEqual(['a.json'])
  expect(readFileSync(join(directory, 'results', 'a.json'), 'utf8')).toBe('{"version":1}\n')
})
