import type { NameOption } from '../../common/options/invalid-option-error.ts'
import type { OptionName } from '../options/invalid-option-error.ts'
import { describeRequestFailure, type RequestFailure } from '../target/request-failure.ts'
import type { FailureCause, FindingParams, FindingWithCode, LoadFinding } from './finding.ts'

/** Formats the name of an option for the user: `contentPath` in the library, `--content-path` on the command line. */
export type OptionNameFormatter = NameOption<OptionName>

/** Describes a finding: the problem and, if there is one, the remedy. */
export function describeFinding<Code extends keyof FindingParams>(
  { code, params }: FindingWithCode<Code>,
  name: OptionNameFormatter,
): string {
  return SENTENCES[code](params, name)
}

export function describeFindings(findings: readonly LoadFinding[], name: OptionNameFormatter): string[] {
  return findings.map((finding) => describeFinding(finding, name))
}

/** Describes what a script that starts k6 must do. k6 interrupts itself if its standard input ends. */
function describeInput(name: OptionNameFormatter): string {
  return `If ${name('k6')} names a script, the script must pass its standard input to k6, because k6 stops when its standard input ends.`
}

const SENTENCES: {
  readonly [Code in keyof FindingParams]: (params: FindingParams[Code], name: OptionNameFormatter) => string
} = {
  'k6-missing': ({ minGo, packageName }, name) =>
    packageName === null
      ? `There is no k6 that can generate the load. Put Go ${minGo} or later on the PATH, so that touchstone can build k6, or give the path of a k6 with the extension (${name('k6')}). scenarios/extension/README.md describes the build.`
      : `There is no k6 that can generate the load: the package ${packageName} is not installed. Install touchstone with optional dependencies (npm install --include=optional), put Go ${minGo} or later on the PATH, or give the path of a k6 with the extension (${name('k6')}).`,
  'k6-package-changed': (params, name) =>
    `${params.path} is not the k6 of this version of touchstone: its SHA-256 differs. Install ${params.name} again, or give the path of another k6 (${name('k6')}).`,
  'k6-package-unreadable': ({ name: packageName, path, problem }, name) =>
    `Cannot read ${path}: ${problem}. Install ${packageName} again, or give the path of another k6 (${name('k6')}).`,
  'k6-not-started': ({ path, problem }, name) =>
    `Cannot start ${path}: ${problem}. Check that the file is executable and belongs to this platform, or give the path of another k6 (${name('k6')}).`,
  'k6-cache-not-writable': ({ directory, problem }, name) =>
    `Cannot store k6 in ${directory}: ${problem}. Set TOUCHSTONE_CACHE to another directory, or give the path of a built k6 (${name('k6')}).`,
  'k6-build-failed': ({ message }, name) =>
    `Cannot build k6 from scenarios/extension: ${message}. The first build needs network access to download Go modules. Alternatively, give the path of a built k6 (${name('k6')}).`,
  'target-unreachable': ({ target, failure, isProxied = false }, name) =>
    isProxied
      ? `Cannot reach ${target} through the proxy: ${describeProxiedFailure(target, failure, name)}. Check that the proxy and the service are running, or exclude the target with NO_PROXY.`
      : describeUnreachable(
          target,
          failure,
          name,
          `Start the service, or omit ${name('target')} to load-test the built-in emulator.`,
        ),
  'proxy-requires-credentials': ({ target }) =>
    `The proxy for ${target} requires a user name and a password (status 407): write them into its variable, such as http://name:password@proxy:3128.`,
  'target-requires-http2': ({ target }) =>
    `${target} accepts only HTTP/2, but touchstone tests the target with HTTP/1.1 before the load. Enable HTTP/1.1 on the server.`,
  'target-requires-key': ({ target }, name) => `${target} requires a key: set ${name('key')}.`,
  'target-rejects-key': ({ target, status }, name) =>
    `${target} rejected the key (status ${status}). Set ${name('key')} to a valid key.`,
  'scenario-requires-key': ({ scenario, option }, name) => `The scenario ${scenario} needs a key: set ${name(option)}.`,
  'model-missing': describeMissingModel,
  'run-failed': ({ message }) => `The load run itself failed: ${message}`,
  'k6-failed': ({ exitCode, hasResult, message }, name) => {
    const end = exitCode === null ? 'was terminated by a signal' : `exited with code ${exitCode}`
    const sentence = `k6 ${end}${hasResult ? '' : ' without a usable result'}${message === '' ? '.' : `: ${message}`}`
    return exitCode === null && !hasResult && message === '' ? `${sentence} ${describeInput(name)}` : sentence
  },
  'requests-dropped': ({ dropped, planned }, name) =>
    behindPlan(`${dropped} of ${planned} requests never started`, `Raise ${name('vus')}`, name),
  'requests-delayed': ({ allowed, requests, delayMs, maxDelayMs }, name) =>
    behindPlan(
      `more than ${allowed} of ${requests} requests started at least ${delayMs} ms late; ${maxDelayMs} ms are allowed`,
      `Use an idle machine, raise ${name('vus')}`,
      name,
    ),
  'not-calibrated': ({ problem }, name) =>
    `The load generator's measurement error could not be determined: ${problem}. Disable the calibration (${name('calibration')}) to run without it.`,
  'budget-broken': ({ metric, actual, op, limit, unit }) =>
    `${metric} is ${actual}${spaced(unit)}; the budget is ${op} ${limit}${spaced(unit)}.`,
  'no-sample': ({ metric }) => `${metric} has no samples.`,
  'too-few-samples': ({ metric, needed, samples }) => `${metric} needs ${needed} samples and has ${samples}.`,
  'no-text-in-streams': ({ metric }, name) =>
    `${metric} cannot be measured: no event of a stream had text at the expected path. Set ${name('contentPath')} to the path of the text.`,
  'no-finished-request': ({ operation }) =>
    operation === null
      ? 'No finished request was recorded.'
      : `No finished request of the operation ${operation} was recorded.`,
  'measurement-error-too-large': ({ metric, errorMs, limitMs, minLimitMs }) =>
    `${metric} cannot be evaluated: the load generator's measurement error, ${errorMs} ms at p99, is more than a tenth of the budget of ${limitMs} ms. Use a less busy machine, or a budget of at least ${minLimitMs} ms.`,
  'added-latency-uncertain': ({ metric, lowMs, highMs, limitMs }) =>
    `${metric} cannot be evaluated: it is between ${lowMs ?? '…'} and ${highMs ?? '…'} ms, and the budget is ${limitMs} ms. Use a less busy machine, more requests, or another budget.`,
  'turns-not-possible': ({ what }, name) =>
    `If the upstream is not an emulator, the run measures it and the target alternately. This is not possible with ${what}. Use an emulator as upstream, or omit ${name('upstream')}.`,
  'upstream-unreachable': ({ upstream, failure }, name) =>
    describeUnreachable(`the upstream ${upstream}`, failure, name, `Start the upstream, or omit ${name('upstream')}.`),
  'upstream-rejects-key': ({ upstream, status }, name) =>
    `The upstream ${upstream} rejected the key (status ${status}). Set ${name('upstreamKey')} to a valid key.`,
  'upstream-record-incomplete': ({ compared, responses }) =>
    `The request log of the upstream contains ${compared} of ${responses} responses of this run, so the added latencies cover only these responses. Start the emulator with a larger request log (--request-log entries=50000), or send fewer requests.`,
  'upstream-responses-unidentified': () =>
    'No response can be compared with the request log of the upstream: the gateway forwards neither x-client-request-id, nor the response header x-request-id, nor the completion IDs. Configure the gateway to forward one of these.',
  'gateway-retries': ({ retried, sent }) =>
    `The gateway retried ${retried} of ${sent} requests: the upstream received them again after an earlier attempt had ended.`,
  'gateway-duplicates': ({ duplicated, sent }) =>
    `The gateway duplicated ${duplicated} of ${sent} requests: the upstream received them again before an earlier attempt had ended.`,
  'gateway-sends-more': ({ received, sent }) =>
    `The upstream received ${received} requests for ${sent} sent requests. The gateway retried or duplicated requests, or other clients used the upstream. The run cannot distinguish these cases, because the gateway does not forward x-client-request-id.`,
  'gateway-withholds': ({ withheld, sent }) =>
    `${withheld} of ${sent} requests never reached the upstream: the gateway returned its own response, or none.`,
  'gateway-loses': ({ lost, sent }) =>
    `${lost} of ${sent} requests failed at the gateway although the upstream responded to them with status 200.`,
  'gateway-repeats': ({ repeated, sent }) =>
    `${repeated} of ${sent} responses repeat the response to an earlier request, like those of a cache.`,
  'gateway-rebatches': ({ rebatched, judged }) =>
    `The gateway re-batches streams: in ${rebatched} of ${judged}, tokens that the upstream sent separately arrived together.`,
  'gateway-buffers': ({ buffered, judged }) =>
    `The gateway buffers streams: ${buffered} of ${judged} arrived at once, although the upstream sent their tokens separately.`,
  'gateway-removes-usage': ({ removed, streams }) =>
    `The gateway removes usage: ${removed} of ${streams} streams arrived without usage, although the upstream sends usage on request. The gateway removed the usage from the stream, or stream_options from the request.`,
  'gateway-changes-text': ({ changed, compared }) =>
    `The gateway changes text: in ${changed} of ${compared} responses, the text differs from that of the upstream. The gateway dropped, repeated, reordered or edited events.`,
  'gateway-changes-ids': ({ changed, compared }) =>
    `The gateway changes completion IDs: ${changed} of ${compared} responses have a different ID from the one that the upstream sent.`,
  'gateway-changes-model': ({ changed, compared, requested, received }) =>
    `The gateway changes the model: ${changed} of ${compared} requests reached the upstream with another model, such as ${received} instead of ${requested}.`,
  'upstream-charged-differently': ({ seen, charged }) =>
    `The usage that the client received adds up to ${seen} credits, but the upstream charged ${charged}.`,
  'capacity-found': ({ rate, brokenAtRate, broken }) =>
    `The budgets hold up to ${formatRate(rate)}. At ${formatRate(brokenAtRate)}, ${broken ?? 'the result is uncertain'}.`,
  'capacity-above-max-rate': ({ rate }, name) =>
    `The budgets hold at ${formatRate(rate)}, the highest rate of the search (${name('maxRate')}).`,
  'no-rate-holds': ({ rate, broken }) =>
    `The budgets hold at no measured rate. At ${formatRate(rate)}, ${broken ?? 'the result is uncertain'}.`,
  'search-ended': ({ end, holdsAtRate, brokenAtRate }, name) =>
    `${SEARCH_ENDS[end](name)} ${describeBounds(holdsAtRate, brokenAtRate)}`,
  'no-request-sent': () => 'The load sent no request.',
  'no-success': ({ sent, causes }, name) =>
    addRemedy(`None of the ${sent} requests succeeded${listCauses(causes)}, so no latency was measured.`, causes, name),
  'requests-failed': ({ failed, ended, causes }, name) =>
    addRemedy(`${failed} of ${ended} requests failed${listCauses(causes)}.`, causes, name),
  'stream-violation': ({ kind, count, streams, example }) => `${kind} (${count} of ${streams} streams): ${example}`,
  'streams-cut-short': ({ count, streams, missing }) =>
    `${count} of ${streams} streams were truncated: they ended without ${missing}, unlike the others.`,
  'check-failed': ({ check, fails, tested }) => `A check failed ${fails} of ${tested} times: ${check}.`,
  'check-not-tested': ({ check }) => `This check never ran: ${check}.`,
  'credits-differ': ({ counted, charged }) =>
    `The usage of the responses adds up to ${counted} credits, but the ledger charged ${charged}.`,
  'events-not-written': ({ directory, problem }) =>
    `Cannot compare the run with the emulator's record, because its temporary files could not be written: ${problem}. Free space in ${directory}, or set TMPDIR to another directory.`,
  'record-unreadable': ({ message }) => `Cannot read the emulator's record of the run: ${message}.`,
  'ended-early': () => 'The run was interrupted. Its figures cover only the time before the interruption.',
  'k6-interrupted': (_, name) =>
    `k6 was interrupted: another program sent it a signal, or its standard input was closed. ${describeInput(name)}`,
  'plan-not-sent': ({ sent, planned }) =>
    `k6 was stopped after ${sent} of ${planned} planned requests. The figures cover only these requests.`,
  'duration-not-reached': ({ actualS, plannedS }) =>
    `k6 was stopped after ${actualS} of ${plannedS} seconds. The figures cover only this time.`,
  'spend-limit-reached': ({ limit, counted, underWay, next }, name) =>
    `${name('maxCredits')} ended the run. The limit of this process is ${limit} credits. The process has spent ${counted} credits. Requests in flight may cost ${underWay}, and the next request may cost ${next}.`,
  'threshold-broken': ({ afterS, ratePerSecond }) =>
    `The run exceeded a budget after ${afterS} s, at about ${ratePerSecond} requests per second, and ended.`,
  'segments-missing': ({ count, missing }) =>
    `Of ${count} segments, ${missing.map((number) => `${number}/${count}`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
  'segments-start-apart': ({ first, last, apartMs }, name) =>
    `The segments did not run at the same time: ${last} started ${apartMs / 1000} s after ${first}. The target received the whole load only for a part of the run. Start all segments at the same time (${name('startAtUnixMs')}).`,
  'segment-clocks-differ': ({ first, last, minApartMs }) =>
    `The clocks of the machines differ: by the clock of the target, ${last} started at least ${minApartMs / 1000} s after ${first}. The target received the whole load only for a part of the run. Synchronize the clocks, and repeat the run.`,
  'segment-incomplete': ({ segment, reason }) =>
    `${segment} is incomplete: ${reason ?? 'it covers only a part of its plan.'}`,
  'segment-failed': ({ segment, reason }) => `${segment}: ${reason ?? 'the load generator failed.'}`,
}

/** Explanation of each reason for which a search ended without a result. */
const SEARCH_ENDS: Readonly<Record<FindingParams['search-ended']['end'], (name: OptionNameFormatter) => string>> = {
  generator: () =>
    'The load generator reached its own limit: it started requests late, or its measurement error is more than a tenth of a budget. Use a faster or less busy machine.',
  'max-duration': (name) => `The search reached its time limit (${name('maxDurationS')}).`,
  'spend-limit': (name) => `The next run could exceed the spend limit (${name('maxCredits')}).`,
  'no-success': () => 'The search ended, because no request succeeded.',
  'run-failed': () => 'The search ended, because a run failed.',
  uncertain: (name) =>
    `At each rate, the result was too close to a limit or had too few samples. Use another limit, or longer runs (${name('durationS')}).`,
  interrupted: () => 'The search was interrupted.',
}

function formatRate(perSecond: number): string {
  return `${perSecond} ${perSecond === 1 ? 'request' : 'requests'} per second`
}

function describeBounds(holdsAtRate: number | null, brokenAtRate: number | null): string {
  const below = brokenAtRate === null ? undefined : `The budgets do not hold at ${formatRate(brokenAtRate)}.`
  if (holdsAtRate === null) return below ?? 'No rate has a definite result.'
  const above = below ?? 'Higher rates were not measured.'
  return `The budgets hold at ${formatRate(holdsAtRate)}. ${above}`
}

/** Describes why a run cannot use a server. Advises to start it only if no server may be running. */
function describeUnreachable(
  server: string,
  failure: RequestFailure,
  name: OptionNameFormatter,
  startAdvice: string,
): string {
  const problem = `${server}: ${describeRequestFailure(failure, name)}.`
  switch (failure.cause) {
    case 'network':
    case 'timeout':
      return `Cannot reach ${problem} ${startAdvice}`
    case 'http':
      return `Cannot use ${problem} Check the scheme, http or https, and the port.`
    default:
      return `Cannot use ${problem}`
  }
}

/** The certificate of an http target is that of an https proxy, to which the options for the target do not apply. */
function describeProxiedFailure(target: string, failure: RequestFailure, name: OptionNameFormatter): string {
  return failure.cause === 'untrusted-certificate' && target.startsWith('http:')
    ? 'the certificate of the proxy is not trusted (set NODE_EXTRA_CA_CERTS and SSL_CERT_FILE to a file with the certificate of its issuer)'
    : describeRequestFailure(failure, name)
}

function listCauses(causes: readonly FailureCause[]): string {
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

function describeMissingModel(
  { operation, model, isDefault, status, listed, more }: FindingParams['model-missing'],
  name: OptionNameFormatter,
): string {
  const named = `${model}${isDefault ? ' (the default)' : ''}`
  if (listed.length === 0) {
    return `A ${operation} request with the model ${named} got status ${status}, and no list of models could be read. Check the base URL (${name('target')}) and the model (${name('models')}).`
  }
  const others = more === 0 ? '' : ` and ${more} ${more === 1 ? 'other' : 'others'}`
  const example = operation === 'chat' ? (listed[0] ?? '') : `${operation}=${listed[0] ?? ''}`
  return `The target does not serve the model ${named}: its list of models does not contain it, and a ${operation} request got status ${status}. It lists ${listed.join(', ')}${others}. Set ${name('models')} to a model for ${operation}, such as ${example}.`
}

function behindPlan(how: string, firstRemedies: string, name: OptionNameFormatter): string {
  return `The load generator fell behind its plan (${how}), so the figures say nothing about the target. ${firstRemedies}, lower ${name('rate')}, or split the load with ${name('segment')}.`
}

function spaced(unit: string): string {
  return unit === 'ms' || unit === '%' ? ` ${unit}` : unit
}
