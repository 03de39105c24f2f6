import { existsSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseSettings } from '../lib/parse-settings.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Fields of a TestRun resource that these tests read. */
interface TestRun {
  readonly spec: {
    readonly parallelism: number
    readonly args: readonly string[]
    readonly script: { readonly localFile: string }
    readonly runner: {
      readonly image: string
      readonly env: readonly Variable[]
      readonly initContainers?: readonly { readonly command: readonly string[]; readonly volumeMounts: unknown }[]
      readonly volumeMounts?: readonly { readonly mountPath: string }[]
      readonly resources: { readonly requests: { readonly cpu: string } }
    }
  }
}

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: Readonly<Record<string, { readonly name?: string; readonly key?: string }>>
}

// The casts are safe: the first test validates both manifests against the schema.
const withVolume = parse(read('testrun.yaml')) as TestRun
const withoutVolume = parse(read('testrun-stdout.yaml')) as TestRun
const MANIFESTS = [
  ['testrun.yaml', withVolume],
  ['testrun-stdout.yaml', withoutVolume],
] as const

/**
 * Returns a copy of a schema that rejects fields that it does not list. A Kubernetes API server drops such fields with
 * a warning.
 */
function forbidUnknownFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forbidUnknownFields)
  if (typeof schema !== 'object' || schema === null) return schema
  const known = Object.entries(schema).filter(([name]) => !name.startsWith('x-kubernetes-') && name !== 'format')
  const copy = Object.fromEntries(known.map(([name, value]) => [name, forbidUnknownFields(value)]))
  return 'properties' in copy ? { ...copy, additionalProperties: false } : copy
}

function schemaOfTestRun(): object {
  // The cast is safe: a CustomResourceDefinition has this shape.
  const definition = parse(read('../../tests/kubernetes/testrun-crd.yaml')) as {
    readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: object } }[] }
  }
  return Object(forbidUnknownFields(definition.spec.versions[0]?.schema.openAPIV3Schema))
}

function variable(testRun: TestRun, name: string): string {
  const value = testRun.spec.runner.env.find((entry) => entry.name === name)?.value
  if (value === undefined) throw new Error(`There is no value of ${name}.`)
  return value
}

const SETTINGS = [
  'TOUCHSTONE_TARGET',
  'TOUCHSTONE_PROFILE',
  'TOUCHSTONE_RATE',
  'TOUCHSTONE_DURATION_S',
  'TOUCHSTONE_LOAD',
]

describe.each(MANIFESTS)('the manifest %s', (name, testRun) => {
  test(`${name} conforms to the schema of a TestRun`, () => {
    const validate = new Ajv({ allErrors: true }).compile(schemaOfTestRun())
    validate(parse(read(name)))
    expect(validate.errors).toBeNull()
  })

  test(`${name} runs a script that the image contains`, () => {
    const path = testRun.spec.script.localFile.replace('/touchstone/', '')
    expect(existsSync(new URL(`../../${path}`, import.meta.url))).toBe(true)
    expect(read('Dockerfile')).toContain('COPY scenarios/ /touchstone/scenarios/')
  })

  test(`${name} sets variables that the scripts accept`, () => {
    const values = Object.fromEntries(SETTINGS.map((setting) => [setting, variable(testRun, setting)]))
    const settings = parseSettings({ ...values, TOUCHSTONE_START_AT: '1893499200' })
    expect(settings).toMatchObject({ arrivals: 'poisson', target: variable(testRun, 'TOUCHSTONE_TARGET') })
    expect(Math.max(...settings.stages.map(({ to }) => to))).toBe(Number(variable(testRun, 'TOUCHSTONE_RATE')))
  })

  test(`${name} gives all processes the same start time`, () => {
    const start = testRun.spec.runner.env.find((entry) => entry.name === 'TOUCHSTONE_START_AT')
    expect(start?.valueFrom).toEqual({ configMapKeyRef: { name: 'touchstone-start', key: 'at' } })
    expect(read('README.md')).toContain('kubectl create configmap touchstone-start --from-literal=at=')
  })
})

test('testrun.yaml has a separate result file for each process, on the shared volume', () => {
  const { resultPath } = JSON.parse(variable(withVolume, 'TOUCHSTONE_LOAD')) as { resultPath: string }
  expect(resultPath).toBe('/results/$(POD_NAME).json')
  expect(withVolume.spec.runner.volumeMounts).toEqual([{ name: 'results', mountPath: '/results' }])
})

test('testrun.yaml writes to the results volume before k6 starts', () => {
  const [first, ...others] = withVolume.spec.runner.initContainers ?? []
  expect(others).toEqual([])
  expect(first).toMatchObject({
    image: withVolume.spec.runner.image,
    volumeMounts: withVolume.spec.runner.volumeMounts,
  })
  expect(first?.command.join(' ')).toContain('> "/results/')
})
