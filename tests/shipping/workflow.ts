import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** A step of a workflow, with either `run` or `uses`. */
export interface WorkflowStep {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string | number | boolean>>
}

export interface WorkflowJob {
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly WorkflowStep[]
}

export interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, WorkflowJob>>
}

export interface CompositeAction {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly WorkflowStep[] }
}

/** Reads a workflow of this repository. actionlint validates its shape. */
export function readWorkflow(path: string): Workflow {
  return parse(readFileSync(path, 'utf8')) as Workflow
}

export function readAction(path: string): CompositeAction {
  return parse(readFileSync(path, 'utf8')) as CompositeAction
}

/**
 * Replaces each expression `${{ name }}` with its value.
 * @throws Error that names an expression without a value
 */
export function substituteExpressions(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`nothing is known of \${{ ${name} }} outside of GitHub`)
    return value
  })
}
