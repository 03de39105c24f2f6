import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseSettings } from '../lib/parse-settings.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const testRun = read('testrun.yaml')

/** Returns the value of an environment variable in the manifest. */
function variable(name: string): string {
  const value = new RegExp(`- name: ${name}\\n\\s+value: '?(.*?)'?\\n`).exec(testRun)?.[1]
  if (value === undefined) throw new Error(`There is no ${name}.`)
  return value
}

describe('the manifests of a cluster', () => {
  test('the cluster manifests run a script that the image contains', () => {
    const path = /localFile: \/touchstone\/(\S+)/.exec(testRun)?.[1] ?? 'no such file'
    expect(existsSync(new URL(`../../${path}`, import.meta.url))).toBe(true)
    expect(read('Dockerfile')).toContain('COPY scenarios/ /touchstone/scenarios/')
  })

  test('the cluster manifests set variables that the scripts accept, and a separate result file for each process', () => {
    const names = [
      'TOUCHSTONE_TARGET',
      'TOUCHSTONE_PROFILE',
      'TOUCHSTONE_RATE',
      'TOUCHSTONE_DURATION_S',
      'TOUCHSTONE_LOAD',
    ]
    const settings = parseSettings(Object.fromEntries(names.map((name) => [name, variable(name)])))
    expect(settings).toMatchObject({ arrivals: 'poisson', target: variable('TOUCHSTONE_TARGET') })
    expect(Math.max(...settings.stages.map(({ to }) => to))).toBe(Number(variable('TOUCHSTONE_RATE')))
    expect(settings.resultPath).toMatch(/^\/results\/.*\$\(POD_NAME\)/)
    expect(testRun).toContain('mountPath: /results')
  })
})
