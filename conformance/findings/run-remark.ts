import { formatExcerpt } from './json-excerpt.ts'
import type { JsonExcerpt } from './fact-params.ts'
import { formatCount } from '../../common/format-count.ts'
import { defineRunFinding, formatList, type ParamsOf } from './define.ts'
import type { KEY_NAMES } from '../options/table-options.ts'
import type { RunObstacle } from './run-obstacle.ts'

/** A latency budget. Its limit is in `unit`. */
interface BudgetParams {
  readonly metric: string
  readonly statistic: string
  readonly limit: number
  readonly unit: string
}

/** Remarks that concern the run rather than a check. */
export const REMARKS = {
  /** The responses may come from a different service. `isPage` is true if the list of models is HTML. */
  'other-service': defineRunFinding<{
    readonly modelsStatus: number
    readonly chatStatus?: number
    readonly isPage: boolean
  }>(({ modelsStatus, chatStatus, isPage }) => {
    if (isPage) return 'GET /v1/models returned text/html: is this the API?'
    if (chatStatus === undefined) return `GET /v1/models returned ${modelsStatus}: is the base URL right?`
    return chatStatus === modelsStatus
      ? `Both GET /v1/models and chat returned ${modelsStatus}: is the base URL right?`
      : `GET /v1/models returned ${modelsStatus}, and chat returned ${chatStatus}: is the base URL right?`
  }),
  /** The target rejected a small chat because of its model. `isListed` is true if it lists this model. */
  'model-rejected': defineRunFinding<{
    readonly model: string
    readonly actualStatus: number
    readonly message: JsonExcerpt
    readonly isListed: boolean
  }>(
    ({ model, actualStatus, message, isListed }) =>
      `${isListed ? `The target lists the model ${model}, but a chat with it` : `A chat with the model ${model}`} returned ${actualStatus} (${formatExcerpt(message)}). If the target serves other models, declare them with --model, or in "models" of a target file.${model.includes(',') ? ' A comma is part of the ID: repeat --model for each model.' : ''}`,
  ),
  /** Number of listed models that the suite tests instead of section 2.1. `isWithout`: parts are declared absent. */
  'own-models': defineRunFinding<{ readonly models: number; readonly isWithout?: true }>(
    ({ models, isWithout }) =>
      `The target lists ${formatCount(models, 'model')} of its own, and the run tested these. If this is intended, declare the models with --model${isWithout === true ? '' : ' and the operations that the target does not offer with --without'}, or in a target file written by touchstone init.`,
  ),
  'additional-models': defineRunFinding<{ readonly models: number }>(
    ({ models }) =>
      `The target lists ${formatCount(models, 'model')} beyond those of §2.1 Model. The run did not test ${models === 1 ? 'it' : 'them'}.`,
  ),
  'stream-usage-missing': defineRunFinding<object>(
    () =>
      'Streams report no usage, although the request sets stream_options.include_usage: clients cannot count their tokens. The specification leaves this open. If the target is a gateway and its upstream sends usage, the gateway removes it.',
  ),
  'requests-rate-limited': defineRunFinding<{ readonly requests: number; readonly rateLimited: number }>(
    ({ requests, rateLimited }) =>
      `The target rejected ${rateLimited} of ${formatCount(requests, 'request')} with 429, although the suite reduced its rate. If a rate limit is not the reason, correct the target. Otherwise, use a key with a higher limit.`,
  ),
  'variables-not-set': defineRunFinding<{
    readonly variables: readonly { readonly variable: string; readonly key: (typeof KEY_NAMES)[number]['account'] }[]
  }>(({ variables }) => {
    const uses = variables.map(({ variable, key }) => `$${variable} for the ${key} key`)
    return `The commands of this report use ${formatList(uses)}: export ${uses.length === 1 ? 'this variable' : 'these variables'} before you run them.`
  }),
  'known-failures-repaired': defineRunFinding<{ readonly ids: readonly string[] }>(
    ({ ids }) =>
      `${formatCount(ids.length, 'known failure')} no longer ${ids.length === 1 ? 'fails' : 'fail'}: remove ${ids.join(', ')} from the list.`,
  ),
  'known-failure-unknown': defineRunFinding<{ readonly id: string }>(
    ({ id }) => `${id} is listed as a known failure, but it is no check, requirement, section or code of a finding.`,
  ),
  'budget-broken': defineRunFinding<BudgetParams & { readonly actual: number | null; readonly n: number }>(
    ({ actual, unit, n, ...budget }) =>
      `The budget ${nameBudget({ unit, ...budget })} is broken: ${actual} ${unit} over ${formatCount(n, 'sample')}.`,
  ),
  'budget-without-samples': defineRunFinding<BudgetParams & { readonly n: number; readonly needed: number }>(
    ({ n, needed, ...budget }, name) =>
      `The budget ${nameBudget(budget)} has insufficient samples: ${n} of the ${needed} that ${budget.statistic} needs. Increase ${name('samples')}.`,
  ),
} as const

/** Remark on a run: a code with its parameters. An obstacle is a remark if it ended the run early. */
export type RunRemark =
  | RunObstacle
  | {
      [Code in keyof typeof REMARKS]: { readonly code: Code; readonly params: ParamsOf<(typeof REMARKS)[Code]> }
    }[keyof typeof REMARKS]

function nameBudget({ metric, statistic, limit, unit }: BudgetParams): string {
  return `${metric}.${statistic}<=${limit}${unit}`
}
