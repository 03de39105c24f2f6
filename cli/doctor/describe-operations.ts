import { describeResponseClass, isServed, isUnknownPath } from './describe-response-class.ts'
import { CHAT, CONTENT, type DoctorRun, MODELS, offerOf, OTHER_OPERATIONS, type OtherOperation } from './doctor-run.ts'
import { type DoctorFinding, KEY_FLAGS } from './finding.ts'

/** Reports whether the target serves each tested operation. */
export function describeOperations(run: DoctorRun): DoctorFinding[] {
  return [...modelsFindings(run), ...chatFindings(run), ...otherFindings(run)]
}

/** Reports the list of models if the target does not serve it. */
function modelsFindings(run: DoctorRun): DoctorFinding[] {
  const entry = run.entryOf(MODELS)
  if (entry === undefined || isServed(entry)) return []
  const { message, remedy } = describeResponseClass(entry, KEY_FLAGS.key)
  const isMissing = lacksModelList(run)
  return [
    {
      name: 'models',
      state: 'error',
      message,
      remedy: isMissing ? 'if the target does not list its models, run the suite with --without models' : remedy,
    },
  ]
}

/** Returns whether the target serves another operation, but has no list of models. The base URL is then correct. */
export function lacksModelList(run: DoctorRun): boolean {
  return (
    run.entryOf(MODELS)?.params['actualStatus'] === 404 &&
    (isServed(run.entryOf(CHAT)) || listServedOthers(run).length > 0)
  )
}

/** Returns whether the target serves another operation, but knows no chat. */
export function lacksChat(run: DoctorRun): boolean {
  return isUnknownPath(run.entryOf(CHAT)) && listServedOthers(run).length > 0
}

function listServedOthers(run: DoctorRun): OtherOperation[] {
  return OTHER_OPERATIONS.filter((operation) => isServed(run.entryOf(offerOf(operation))))
}

/** Reports whether the target serves a chat. Returns nothing if it offers no chat by declaration. */
function chatFindings(run: DoctorRun): DoctorFinding[] {
  const name = 'chat'
  const model = run.modelOf('chat') ?? 'the target'
  if (run.entryOf(CHAT) === undefined) return []
  const failed = [CHAT, CONTENT].map(run.entryOf).find((entry) => entry?.verdict !== 'pass')
  if (failed === undefined) return [{ name, state: 'ok', message: `${model} completes a chat` }]
  const { message, remedy } = describeResponseClass(failed, KEY_FLAGS.key)
  return [
    {
      name,
      state: 'error',
      message: `${model} completes no chat: ${message}`,
      remedy: lacksChat(run) ? adviseWithoutChat(run) : remedy,
    },
  ]
}

function adviseWithoutChat(run: DoctorRun): string {
  const served = listServedOthers(run)
  const absent = [
    ...(lacksModelList(run) ? ['models'] : []),
    'chat',
    ...OTHER_OPERATIONS.filter((operation) => !served.includes(operation)),
  ]
  return `if the target offers only ${served.join(' and ')}, run the suite with --without ${absent.join(',')}`
}

/** Reports the operations that the target serves instead of chat. If it offers no chat by declaration, reports all. */
function otherFindings(run: DoctorRun): DoctorFinding[] {
  return OTHER_OPERATIONS.flatMap((name): DoctorFinding[] => {
    const entry = run.entryOf(offerOf(name))
    const model = run.modelOf(name) ?? 'the target'
    if (isServed(entry)) return [{ name, state: 'ok', message: `${model} serves ${name}` }]
    if (entry === undefined || run.entryOf(CHAT) !== undefined) return []
    const { message, remedy } = describeResponseClass(entry, KEY_FLAGS.key)
    const advice = isUnknownPath(entry)
      ? `if the target does not offer ${name}, run doctor with --without ${name}`
      : remedy
    return [{ name, state: 'error', message: `${model} does not serve ${name}: ${message}`, remedy: advice }]
  })
}
