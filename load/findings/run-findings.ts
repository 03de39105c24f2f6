import { formatWithUnit } from '../../common/format-budget.ts'
import type { LoadBudget } from '../../reports/load-parts-document.ts'
import type { FindingSentence, OptionNameFormatter } from './define.ts'

/** Number of requests that failed for the same reason. `cause` is a status outside 2xx, or the code of an error. */
export interface FailureCause {
  readonly cause: string
  readonly count: number
}

/** Findings of a run that started. */
export const RUN_FINDINGS = {
  // Findings about the load generator.
  /** An unexpected error ended the run. */
  'run-failed': ({ message }: { readonly message: string }) => `The load run itself failed: ${message}`,
  /** k6 failed. `exitCode` is null if a signal ended k6. `message` may be empty. */
  'k6-failed': (
    params: { readonly exitCode: number | null; readonly hasResult: boolean; readonly message: string },
    name,
  ) => {
    const end = params.exitCode === null ? 'was terminated by a signal' : `exited with code ${params.exitCode}`
    const sentence = `k6 ${end}${params.hasResult ? '' : ' without a usable result'}${params.message === '' ? '.' : `: ${params.message}`}`
    return params.exitCode === null && !params.hasResult && params.message === ''
      ? `${sentence} ${describeInput(name)}`
      : sentence
  },
  /** k6 did not start some of the planned requests. `open` is the maximum number of requests in progress. */
  'requests-dropped': (
    { dropped, planned, open }: { readonly dropped: number; readonly planned: number | null; readonly open: number },
    name,
  ) =>
    behindPlan(
      `${dropped} of ${planned} requests never started; up to ${open} were open at once`,
      `If all clients were waiting for responses, the target is too slow for this rate: raise ${name('vus')}`,
      name,
    ),
  /**
   * More than `allowed` of `requests` requests had a scheduling delay of `delayMs` or more. `open` is the maximum number of
   * requests in progress.
   */
  'requests-delayed': (
    params: {
      readonly allowed: number
      readonly requests: number
      readonly delayMs: number
      readonly maxDelayMs: number
      readonly open: number
    },
    name,
  ) =>
    behindPlan(
      `more than ${params.allowed} of ${params.requests} requests started at least ${params.delayMs} ms late; ${params.maxDelayMs} ms are allowed; up to ${params.open} were open at once`,
      `Use an idle machine. If all clients were waiting for responses, the target is too slow for this rate: raise ${name('vus')}`,
      name,
    ),
  /** The calibration failed. */
  'not-calibrated': ({ problem }: { readonly problem: string }, name) =>
    `The load generator's measurement error could not be determined: ${problem}. Disable the calibration (${name('calibration')}) to run without it.`,

  // Findings about budgets.
  'budget-broken': (params: BrokenBudget) => `${describeBrokenBudget(params)}.`,
  'no-sample': ({ metric }: { readonly metric: string }) => `${metric} has no samples.`,
  'too-few-samples': (params: { readonly metric: string; readonly needed: number; readonly samples: number }) =>
    `${params.metric} needs ${params.needed} samples and has ${params.samples}.`,
  /**
   * More streams lack the sample of a metric than its statistic leaves out, so the other streams do not represent the
   * run. `cause` is what these `missing` of `streams` streams lack, and `cut` of them have the finish_reason `length`.
   */
  'streams-without-sample': (
    params: {
      readonly metric: string
      readonly cause: 'text' | 'token' | 'usage'
      readonly missing: number
      readonly streams: number
      readonly cut: number
      readonly allowedPercent: number
    },
    name,
  ) => {
    const { metric, cause, missing, streams, cut, allowedPercent } = params
    const ended = cause === 'usage' ? 'reported no usage' : `ended before any ${cause}`
    const remedy =
      cause === 'usage'
        ? ''
        : cut > 0
          ? ` ${cut === missing ? 'All' : cut} of them reached max_tokens: raise ${name('maxTokens')}.`
          : ''
    return `${metric} cannot be measured: ${missing} of ${streams} streams ${ended}, and ${metric} allows ${allowedPercent} %.${remedy}`
  },
  /** Streams ended before any text. `cut` of them have the finish_reason `length`. */
  'streams-without-text': (params: {
    readonly withoutText: number
    readonly streams: number
    readonly withoutToken: number
    readonly cut: number
  }) => {
    const { withoutText, streams, withoutToken, cut } = params
    const parts = [
      ...(cut === 0 ? [] : [`${cut === withoutText ? 'all' : cut} of them at max_tokens (finish_reason length)`]),
      ...(withoutToken === 0 ? [] : [`${withoutToken} without any token`]),
    ]
    return `${withoutText} of ${streams} streams ended before any text${parts.length === 0 ? '' : `, ${parts.join(', ')}`}.`
  },
  /** A budget on tokens per second exceeds the tokens that the usage of some responses reports. */
  'responses-without-usage': (params: { readonly withUsage: number; readonly responses: number }) =>
    `tokens.rate cannot be measured: only ${params.withUsage} of ${params.responses} responses reported usage.`,
  /** No finished request was recorded. `operation` is that of the budget, or null for a budget on all operations. */
  'no-finished-request': ({ operation }: { readonly operation: string | null }) =>
    operation === null
      ? 'No finished request was recorded.'
      : `No finished request of the operation ${operation} was recorded.`,
  'measurement-error-too-large': (params: {
    readonly metric: string
    readonly errorMs: number
    readonly limitMs: number
    /** Smallest limit that can be evaluated with the current measurement error. */
    readonly minLimitMs: number
  }) =>
    `${params.metric} cannot be evaluated: the load generator's measurement error, ${params.errorMs} ms at p99, is more than a tenth of the budget of ${params.limitMs} ms. Use a less busy machine, or a budget of at least ${params.minLimitMs} ms.`,
  /** The limit lies between the bounds of an added latency. */
  'added-latency-uncertain': (params: {
    readonly metric: string
    /** Lower bound of the added latency. Null if there are too few samples to calculate it. */
    readonly lowMs: number | null
    readonly highMs: number | null
    readonly limitMs: number
  }) =>
    `${params.metric} cannot be evaluated: it is between ${params.lowMs ?? '…'} and ${params.highMs ?? '…'} ms, and the budget is ${params.limitMs} ms. Use a less busy machine, more requests, or another budget.`,
  /**
   * The run cannot alternate between the target and an upstream that is not an emulator. `what` is a phrase for the
   * setting that prevents it, such as `a trace`.
   */
  'turns-not-possible': ({ what }: { readonly what: string }, name) =>
    `If the upstream is not an emulator, the run measures it and the target alternately. This is not possible with ${what}. Use an emulator as upstream, or omit ${name('upstream')}.`,

  // Findings about requests and responses.
  'requests-without-key': () => 'No key was given: the requests contained none, and the report contains no credits.',
  'warm-up-excluded': (params: { readonly sent: number; readonly failed: number }) =>
    `The warm-up sent ${params.sent} ${params.sent === 1 ? 'request' : 'requests'}${params.failed === 0 ? '' : `, of which ${params.failed} failed`}. The figures exclude them.`,
  'listed-model-used': (params: { readonly model: string }) =>
    `No model was given: the run used ${params.model}, the only model that the target lists.`,
  'no-request-sent': () => 'The load sent no request.',
  /**
   * No request succeeded. Lists the most frequent causes first. `status` is null unless all responses have the same
   * status.
   */
  'no-success': (
    params: { readonly sent: number; readonly causes: readonly FailureCause[]; readonly status: number | null },
    name,
  ) =>
    addRemedy(
      `None of the ${params.sent} requests succeeded${listCauses(params.causes)}, so no latency was measured.`,
      params.causes,
      name,
    ),
  /** More requests failed than a budget allows. Lists the most frequent causes first. `ended` counts finished requests. */
  'requests-failed': (
    params: { readonly failed: number; readonly ended: number; readonly causes: readonly FailureCause[] },
    name,
  ) =>
    addRemedy(`${params.failed} of ${params.ended} requests failed${listCauses(params.causes)}.`, params.causes, name),
  'stream-violation': (params: {
    readonly kind: string
    readonly count: number
    readonly streams: number
    readonly example: string
  }) => `${params.kind} (${params.count} of ${params.streams} streams): ${params.example}`,
  /** Some streams lack the ending (`missing`) that other streams of the run had. */
  'streams-cut-short': (params: { readonly count: number; readonly streams: number; readonly missing: string }) =>
    `${params.count} of ${params.streams} streams were truncated: they ended without ${params.missing}, unlike the others.`,
  'check-failed': (params: { readonly check: string; readonly fails: number; readonly tested: number }) =>
    `A check failed ${params.fails} of ${params.tested} times: ${params.check}.`,
  'check-not-tested': ({ check }: { readonly check: string }) => `This check never ran: ${check}.`,
  /**
   * The ledger charged an amount (`charged`) that differs from the amount that the `usage` of the responses reports
   * (`counted`).
   */
  'credits-differ': ({ counted, charged }: { readonly counted: string; readonly charged: string }) =>
    `The usage of the responses adds up to ${counted} credits, but the ledger charged ${charged}.`,
  /**
   * The temporary directory could not store the times of the events, which the comparison with an emulator's record
   * needs. `problem` is the error, such as a full file system.
   */
  'events-not-written': ({ directory, problem }: { readonly directory: string; readonly problem: string }) =>
    `Cannot compare the run with the emulator's record, because its temporary files could not be written: ${problem}. Free space in ${directory}, or set TMPDIR to another directory.`,
  /** The emulator's timing record or request log could not be read. */
  'record-unreadable': ({ message }: { readonly message: string }) =>
    `Cannot read the emulator's record of the run: ${message}.`,

  // Findings about runs that ended early.
  'ended-early': () => 'The run was interrupted. Its figures cover only the time before the interruption.',
  /** k6 ended early after an interrupt that this program did not send. */
  'k6-interrupted': (_: Readonly<Record<never, never>>, name) =>
    `k6 was interrupted: another program sent it a signal, or its standard input was closed. ${describeInput(name)}`,
  /**
   * k6 ended before the last of its `planned` requests was due. In a closed loop, `planned` is the number of
   * iterations.
   */
  'plan-not-sent': ({ sent, planned }: { readonly sent: number; readonly planned: number }) =>
    `k6 was stopped after ${sent} of ${planned} planned requests. The figures cover only these requests.`,
  /** A closed loop ended before its planned duration. */
  'duration-not-reached': ({ actualS, plannedS }: { readonly actualS: number; readonly plannedS: number }) =>
    `k6 was stopped after ${actualS} of ${plannedS} seconds. The figures cover only this time.`,
  'spend-limit-reached': (
    params: { readonly limit: string; readonly counted: string; readonly underWay: string; readonly next: string },
    name,
  ) =>
    `${name('maxCredits')} ended the run. The limit of this process is ${params.limit} credits. The process has spent ${params.counted} credits. Requests in flight may cost ${params.underWay}, and the next request may cost ${params.next}.`,
  /** A load that grows until it exceeds a k6 threshold ended at this rate, in requests per second. */
  'threshold-broken': ({ afterS, ratePerSecond }: { readonly afterS: number; readonly ratePerSecond: number }) =>
    `The run exceeded a budget after ${afterS} s, at about ${ratePerSecond} requests per second, and ended.`,

  // Findings about the segments of a run.
  /** Some segments of the run are missing. `missing` lists segment numbers from 1 to `count`. */
  'segments-missing': ({ count, missing }: { readonly count: number; readonly missing: readonly number[] }) =>
    `Of ${count} segments, ${missing.map((number) => `${number}/${count}`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
  /** The segment `last` started `apartMs` after `first`, by the clocks of their machines. */
  'segments-start-apart': (params: { readonly first: string; readonly last: string; readonly apartMs: number }, name) =>
    `The segments did not run at the same time: ${params.last} started ${params.apartMs / 1000} s after ${params.first}. The target received the whole load only for a part of the run. Start all segments at the same time (${name('startAtUnixMs')}).`,
  /** By the clock of the target, the segment `last` started at least `minApartMs` after `first`. */
  'segment-clocks-differ': (params: { readonly first: string; readonly last: string; readonly minApartMs: number }) =>
    `The clocks of the machines differ: by the clock of the target, ${params.last} started at least ${params.minApartMs / 1000} s after ${params.first}. The target received the whole load only for a part of the run. Synchronize the clocks, and repeat the run.`,
  /** A segment did not send its whole plan. `reason` is the first reason in its document, or null. */
  'segment-incomplete': ({ segment, reason }: { readonly segment: string; readonly reason: string | null }) =>
    `${segment} is incomplete: ${reason ?? 'it covers only a part of its plan.'}`,
  'segment-failed': ({ segment, reason }: { readonly segment: string; readonly reason: string | null }) =>
    `${segment}: ${reason ?? 'the load generator failed.'}`,
} satisfies Record<string, FindingSentence>

/** Describes what a script that starts k6 must do. k6 interrupts itself if its standard input ends. */
function describeInput(name: OptionNameFormatter): string {
  return `If ${name('k6')} names a script, the script must pass its standard input to k6, because k6 stops when its standard input ends.`
}

type BrokenBudget = Pick<LoadBudget, 'metric' | 'actual' | 'op' | 'limit' | 'unit'>

/** @param budget its `metric` includes the statistic */
export function describeBrokenBudget({ metric, actual, op, limit, unit }: BrokenBudget): string {
  return `${metric} is ${formatWithUnit(String(actual), unit)}; the budget is ${op} ${formatWithUnit(limit, unit)}`
}

/** Lists the causes of failures in parentheses, or returns an empty string. */
export function listCauses(causes: readonly FailureCause[]): string {
  return causes.length === 0 ? '' : ` (${causes.map(({ cause, count }) => `${count} × ${cause}`).join(', ')})`
}

/** Appends the remedy if all requests failed for the same reason. A target may also limit the rate of rejected keys. */
function addRemedy(sentence: string, causes: readonly FailureCause[], name: OptionNameFormatter): string {
  const isKeyRejected = causes.some(({ cause }) => cause === '401' || cause === '403')
  const [first, ...others] = isKeyRejected ? causes.filter(({ cause }) => cause !== '429') : causes
  const remedy = first === undefined || others.length > 0 ? undefined : CAUSE_REMEDIES[first.cause]
  return remedy === undefined ? sentence : `${sentence} ${remedy(name)}`
}

const followNoRedirect: CauseRemedy = (name) =>
  `touchstone does not follow redirects: set ${name('target')} to the address to which the target redirects.`

type CauseRemedy = (name: OptionNameFormatter) => string

/** Advice for each cause of failed requests. */
const CAUSE_REMEDIES: Readonly<Record<string, CauseRemedy>> = {
  301: followNoRedirect,
  302: followNoRedirect,
  303: followNoRedirect,
  307: followNoRedirect,
  308: followNoRedirect,
  400: (name) =>
    `The target may reject stream_options or max_tokens: set ${name('body')} to {"stream_options": null} or {"max_completion_tokens": 64}.`,
  401: (name) => `Set ${name('key')} to a key that the target accepts.`,
  402: (name) => `Set ${name('key')} to the key of an account with credits.`,
  403: (name) => `Set ${name('key')} to a key that may use the models (${name('models')}).`,
  404: (name) => `Check the base URL (${name('target')}) and the models (${name('models')}).`,
  429: (name) =>
    `The target limits the rate of requests: lower ${name('rate')} or ${name('vus')}, or use a key with a higher limit.`,
  refused: () => 'Nothing accepts connections at the target: check that the service is running.',
  timeout: (name) => `No response was complete within ${name('timeoutMs')}.`,
  'unexpected-body': (name) =>
    `The target responds with a 2xx status, but not with a result of the operation. Check that ${name('target')} is the base URL of the API, and not of a web page.`,
}

function behindPlan(how: string, firstRemedies: string, name: OptionNameFormatter): string {
  return `The load generator fell behind its plan (${how}), so the figures say nothing about the target. ${firstRemedies}, lower ${name('rate')}, or split the load with ${name('segment')}.`
}
