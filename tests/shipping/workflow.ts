import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** A step as GitHub reads it; `run` and `uses` exclude each other. */
export interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string | number | boolean>>
}

/** What is read of a job. */
export interface Job {
  readonly env?: Readonly<Record<string, string>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

/** What is read of a workflow. */
export interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

/** What is read of a composite action. */
export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

/** Reads a workflow of this repository. actionlint has seen to its shape. */
export function readWorkflow(path: string): Workflow {
  return parse(readFileSync(path, 'utf8')) as Workflow
}

/** Reads a composite action of this repository. */
export function readAction(path: string): Action {
  return parse(readFileSync(path, 'utf8')) as Action
}

/** Puts values in the place of `${{ name }}`. @throws Error naming what no value is known of */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`nothing is known of \${{ ${name} }} outside of GitHub`)
    return value
  })
}
