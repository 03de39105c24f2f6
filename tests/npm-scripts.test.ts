import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
// The cast is safe: npm requires this format of package.json.
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

/**
 * Matches a script that cmd.exe and a POSIX shell run alike: commands joined by `&&`. Each is a program that npm finds
 * on every platform, with plain words as arguments. `exec` is a builtin of POSIX shells; `exec.cmd` is its counterpart.
 */
const PORTABLE = /^(?:exec )?(?:node|npm|vitest|oxlint|oxfmt)(?: [\w./:=-]+)*$/

const isPortable = (script: string): boolean => script.split(' && ').every((command) => PORTABLE.test(command))

describe('npm scripts', () => {
  test('npm scripts run in cmd.exe as in a POSIX shell', () => {
    const others = Object.entries(scripts).filter(([, script]) => !isPortable(script))
    expect(others).toEqual([])
  })

  test.each(['sh tests/mutation/run.sh', 'node a.ts; node b.ts', 'node $HOME/a.ts', 'node a.ts > a.log'])(
    'the pattern of portable scripts rejects: %s',
    (script) => {
      expect(isPortable(script)).toBe(false)
    },
  )

  // dash, which is `sh` on Debian and Ubuntu, starts the last command as a child process and forwards no signals to it.
  test('npm scripts leave no shell between npm and a program that handles signals', () => {
    const programs = Object.entries(scripts).filter(
      ([name, script]) => name !== 'check' && script.includes('cli/bin.js'),
    )
    expect(programs.length).toBeGreaterThan(6)
    expect(programs.filter(([, script]) => !script.startsWith('exec node '))).toEqual([])
  })
})
