import { MODELS, type Operation } from '../../../contract/facts.ts'
import { parseJson } from '../../http/decode-body.ts'
import type { Outcome } from '../outcome.ts'
import type { RequestDifference } from '../request-difference.ts'
import type { BreakdownGroup } from '../observed-facts.ts'
import { findFailurePhrases } from '../sentences/failure-phrases.ts'
import { describeDifference, describeServedVariant } from '../sentences/responses.ts'
import { findBodyCauses } from './body-causes.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { fieldCause } from './field-causes.ts'
import { listMissingImageCauses } from './image-causes.ts'
import { createNoResultCause } from './no-result-cause.ts'
import { chooseCommand, preferSection } from './choose-command.ts'
import {
  createRejectedParameterCause,
  findRejectedValueCauses,
  parameterOf,
  someFamily,
  valueOf,
} from './rejected-value-causes.ts'
import { expectsSuccess, type RunFacts, listUnservedResponses } from './run-facts.ts'
import {
  describeEndpoint,
  formatList,
  formatResponseNoun,
  formatStatus,
  getMember,
  LIMIT_WITH_503,
  listOperations,
} from './title-parts.ts'

/** Returns the possible causes of a finding about a valid request that the target did not serve. */
export function findUnservedCauses(finding: CheckFinding, run: RunFacts): PossibleCause[] {
  const [response] = listUnservedResponses(finding.outcome)
  if (response === undefined) return findRejectedVariantCauses(finding, run)
  if (isAboutImageFile(finding)) return listMissingImageCauses(run)
  const { operation } = finding
  const label = formatStatus(response)
  if (run.served.has(operation)) {
    return [
      ...findBodyCauses(finding, label),
      ...findRejectedValueCauses(finding, label, run),
      ...findUnknownModelCauses(finding, label, run),
      {
        key: `some ${operation} ${label}`,
        title: (members) => titleOfUnserved(members, operation, label),
        families: [someFamily(operation)],
      },
    ]
  }
  return findSameResponseCauses(finding, label, run)
}

/** Returns whether a finding concerns the response to a request for the file at an image URL. */
function isAboutImageFile({ operation, outcome }: CheckFinding): boolean {
  return operation === 'images' && outcome.verdict === 'warn' && outcome.exchange?.request.method === 'GET'
}

/**
 * Returns the possible cause that an operation serves no requests. Returns an empty array if the operation served one,
 * or if the response of the finding differs from the responses to valid requests.
 */
export function findSameResponseCauses(finding: CheckFinding, label: string, run: RunFacts): PossibleCause[] {
  const { operation } = finding
  const labels = run.unserved.get(operation) ?? []
  if (run.served.has(operation) || !labels.includes(label)) return []
  return [
    ...findUnknownModelCauses(finding, label, run),
    {
      key: `unserved ${labels.join(' ')}`,
      title: (members) => {
        const operations = listOperations(members)
        const isSingle = operations.length === 1
        const served = isSingle ? describeServedForms(members) : ''
        return `${formatList(operations.map(describeEndpoint))} ${endpointVerb(labels, isSingle)}${served}`
      },
      command: (members) => chooseCommand(preferSection(members, '1')),
      families: [
        {
          key: 'unserved',
          title: (members) =>
            `Valid requests are not served: ${formatList(listOperations(members).map(describeEndpoint))}`,
        },
      ],
    },
  ]
}

/** Describes the only requests to an operation that the target served, for example those without `max_tokens`. */
function describeServedForms(members: readonly CheckFinding[]): string {
  const forms = members.flatMap(({ outcome }) =>
    outcome.code === 'served-only-otherwise' ? [describeServedVariant(outcome.params.servedWith)] : [],
  )
  return forms.length === 0 ? '' : `, and serves requests only ${formatList([...new Set(forms)], { last: 'or' })}`
}

function titleOfUnserved(members: readonly CheckFinding[], operation: Operation, label: string): string {
  const groups = members.flatMap(({ outcome }) =>
    outcome.code === 'requests-broke-down' ? outcome.params.by.filter((group) => formatStatus(group) === label) : [],
  )
  if (groups.length > 0) {
    const isOfBurst = members.some(({ entry }) => entry.id === '7/rate-limit-exceeded')
    const hint = isOfBurst && label === '503' ? ` (${LIMIT_WITH_503})` : ''
    return titleOfBreakdowns(groups, operation, label) + hint
  }
  const models = new Set(members.map(({ outcome: { difference } }) => modelOfShare(difference)))
  const [model] = models
  if (models.size === 1 && model !== undefined) {
    return `Valid requests to ${describeEndpoint(operation)} for the model \`${model}\` get ${formatResponseNoun(label)}`
  }
  const [only] = members
  return only !== undefined && members.length === 1
    ? `${isObservation(only) || isConvention(only) ? 'A request' : 'A valid request'} gets ${formatResponseNoun(label)}${describePurpose(only)}`
    : `Some valid requests to ${describeEndpoint(operation)} get ${formatResponseNoun(label)}`
}

/**
 * Formats a title about breakdowns. It names what the requests have in common: the model, `stream: true`, or the
 * endpoint.
 */
function titleOfBreakdowns(groups: readonly BreakdownGroup[], operation: Operation, label: string): string {
  const endpoint = describeEndpoint(operation)
  const gets = formatResponseNoun(label)
  const models = groups.flatMap(({ model }) => model ?? [])
  if (models.length === groups.length) {
    const isOfStreams = groups.every(({ stream }) => stream === true)
    const names = [...new Set(models)].map((model) => `\`${model}\``)
    const subject = `${isOfStreams ? 'Streams' : 'Requests'} for the model${names.length === 1 ? '' : 's'} ${formatList(names)}`
    return `${subject} break down: ${endpoint} gets ${gets}`
  }
  const { stream: isOfStreams } = groups.find(({ stream }) => stream !== undefined) ?? {}
  if (isOfStreams !== undefined) {
    const [subject, kind] = isOfStreams
      ? ['Streams', 'with `stream: true`']
      : ['Non-streaming requests', 'without `stream: true`']
    const isShared = groups.some(({ stream }) => stream !== isOfStreams)
    return `${subject} break down: ${endpoint} ${kind} gets ${gets}${isShared ? ', and so do a few other requests' : ''}`
  }
  const endpoints = [...new Set(groups.map((group) => `\`${group.endpoint}\``))]
  if (endpoints.includes(endpoint)) return `Some requests to ${endpoint} break down: they get ${gets}`
  return `${formatList(endpoints)} ${endpoints.length === 1 ? 'gets' : 'get'} ${gets}`
}

/** Describes what a check observes or expects, e.g. `: the target should accept a temperature of 0`. */
function describePurpose(finding: CheckFinding): string {
  const { entry } = finding
  return isObservation(finding)
    ? `, so the suite cannot observe ${entry.title.replace(/^the handling of /, 'how the target handles ')}`
    : `: the target should ${entry.title.replace(/^(\w+)s /, '$1 ')}`
}

/** Returns whether the check observes unspecified behaviour. Its request may be invalid. */
function isObservation({ entry }: CheckFinding): boolean {
  return OBSERVATION.test(entry.title)
}

/** Returns whether the check tests a convention of clients. Its request may contain fields that are not specified. */
function isConvention({ entry }: CheckFinding): boolean {
  return entry.level === 'convention'
}

/** Matches the start of a check title that describes unspecified behaviour. */
const OBSERVATION = /^(?:the|what|whether) /

/** Returns the verb phrase for responses, e.g. `returns 500 or 503` or `do not respond in time`. */
function endpointVerb(labels: readonly string[], isSingular: boolean): string {
  const failures = labels.flatMap((label) => findFailurePhrases(label) ?? [])
  const statuses = labels.filter((label) => findFailurePhrases(label) === undefined)
  const returns = `${isSingular ? 'returns' : 'return'} ${formatList(statuses, { last: 'or' })}`
  const verbs = [
    ...(statuses.length === 0 ? [] : [returns]),
    ...failures.map(({ singular, plural }) => (isSingular ? singular : plural)),
  ]
  return formatList(verbs, { last: 'or' })
}

/** Statuses that services send for an unknown model. */
const UNKNOWN_MODEL_STATUSES: readonly string[] = ['400', '403', '404']

/** Returns the possible cause that the target does not serve the models that its list lacks. */
export function findUnknownModelCauses(
  { entry, outcome, operation }: CheckFinding,
  label: string,
  run: RunFacts,
): PossibleCause[] {
  const lacksEndpoint = run.lacksChatEndpoint && operation !== 'models' && label === '404'
  const isPossible = run.unlisted.length > 0 && UNKNOWN_MODEL_STATUSES.includes(label) && !lacksEndpoint
  const isAboutModel =
    entry.section === '2.1' || isUnlisted(outcome, run) || (!run.served.has('chat') && !run.rejectsListed)
  return isPossible && isAboutModel ? [unknownModels(run)] : []
}

/** Returns the possible cause of a finding about models that the target does not list. */
export function findUnlistedModelCauses({ outcome }: CheckFinding, run: RunFacts): PossibleCause[] {
  const isOfEmptyList = isAboutEmptyList({ outcome }) && run.unlisted.length > 0
  const isUnlisted = outcome.code === 'models-not-listed' || isOfEmptyList
  if (!isUnlisted) return []
  // If `data` is not a list of models, it contains none of them.
  const isWrongList = outcome.code === 'models-not-listed' && outcome.params.missing.length === MODELS.length
  if (!isWrongList) return [unknownModels(run)]
  const noResult = run.withoutResult.has('models') ? [createNoResultCause('models')] : []
  return [unknownModels(run), fieldCause('models', 'data'), ...noResult]
}

function unknownModels({ unlisted }: RunFacts): PossibleCause {
  return {
    key: 'models',
    title: (members) => {
      const isListAlone = members.every(
        ({ outcome }) => outcome.code === 'models-not-listed' || outcome.code === 'no-evidence',
      )
      if (isListAlone && members.some(isAboutSomeLists))
        return `The list of models differs between requests: some lists lack ${formatList(unlisted)}`
      if (isListAlone && members.some(isAboutEmptyList)) return 'The list of models is empty'
      if (members.some(isAboutDeclared))
        return `The target does not ${isListAlone ? 'list' : 'serve'} ${formatList(unlisted)}`
      return unlisted.length === MODELS.length
        ? `The target ${isListAlone ? 'lists' : 'serves'} none of the eight models`
        : `The target lacks ${unlisted.length} of the eight models: ${formatList(unlisted)}`
    },
  }
}

/** Returns whether the list of models contains no model that the check could evaluate. */
function isAboutEmptyList({ outcome }: Pick<CheckFinding, 'outcome'>): boolean {
  return outcome.code === 'no-evidence' && outcome.params.missing === 'listed-model'
}

/** Returns whether only some of the received lists lack the models that a finding lists as missing. */
function isAboutSomeLists({ outcome: { code, difference } }: CheckFinding): boolean {
  return code === 'models-not-listed' && difference !== undefined && 'responses' in difference
}

/** Returns whether a finding concerns models that the owner declares instead of the eight specified ones. */
function isAboutDeclared({ outcome: { expected } }: CheckFinding): boolean {
  return expected !== undefined && 'rule' in expected && expected.rule === 'declared-models-listed'
}

function isUnlisted({ difference, exchange }: Outcome, { unlisted }: RunFacts): boolean {
  const requested =
    parameterOf(difference) === 'model'
      ? valueOf(difference)
      : getMember(parseJson(Buffer.from(exchange?.request.body ?? []).toString('utf8')), 'model')
  return unlisted.some((id) => id === requested)
}

/** Returns the possible causes of a finding about a valid request that differs from the plain request. */
function findRejectedVariantCauses(finding: CheckFinding, run: RunFacts): PossibleCause[] {
  const { outcome, operation } = finding
  const { difference } = outcome
  if (outcome.code === 'request-not-served' || outcome.code === 'request-broke-down')
    return findSameResponseCauses(finding, formatStatus(outcome.params), run)
  if (outcome.code === 'served-only-otherwise') {
    const label = formatStatus(outcome.params)
    const parameter = parameterOf(difference)
    return parameter === undefined || valueOf(difference) === undefined
      ? findSameResponseCauses(finding, label, run)
      : [createRejectedParameterCause(operation, label, parameter)]
  }
  const isRejection = outcome.code === 'unexpected-status' || outcome.code === 'no-response'
  if (!isRejection || difference === undefined || !expectsSuccess(outcome.expected)) return []
  const label = formatStatus(outcome.params)
  const parameter = parameterOf(difference)
  const isValue = parameter !== undefined && valueOf(difference) !== undefined
  return [
    ...findSameResponseCauses(finding, label, run),
    ...findUnknownModelCauses(finding, label, run),
    ...(isValue ? [createRejectedParameterCause(operation, label, parameter)] : []),
    ...(isValue ? [] : [createRejectedFormCause(operation, label, difference)]),
  ]
}

function createRejectedFormCause(operation: Operation, label: string, difference: RequestDifference): PossibleCause {
  const form = describeDifference(difference)
  return {
    key: `variant ${operation} ${label} ${form}`,
    title: () =>
      `Valid requests to ${describeEndpoint(operation)} ${/^with(?:out)? /.test(form) ? form : `with ${form}`} get ${formatResponseNoun(label)}`,
    families: [someFamily(operation)],
  }
}

/** Returns the model of a finding about all responses if only responses of one model deviate. */
function modelOfShare(difference: RequestDifference | undefined): string | undefined {
  return difference !== undefined && 'responses' in difference ? difference.model : undefined
}
