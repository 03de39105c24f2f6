import type { Operation } from '../../contract/facts.ts'
import type { Need } from './check.ts'
import type { Session } from './session.ts'

/** What to give where something is missing, by what it is. */
const WHAT_TO_GIVE = {
  key: 'No key was given: give one with --key or TOUCHSTONE_KEY.',
  noCreditsKey:
    'No key of an account without credits was given: give one with --no-credits-key or TOUCHSTONE_KEY_NO_CREDITS.',
  limitedKey: 'No key with a tight rate limit was given: give one with --limited-key or TOUCHSTONE_KEY_LIMITED.',
  smallKey: 'No key of an account with few credits was given: give one with --small-key or TOUCHSTONE_KEY_SMALL.',
  burst: 'Exceeding a rate limit needs consent: give a key for it with --limited-key, or --burst.',
} as const

/** The first need of a check that is not met, as a sentence that says what to give; undefined when all are. */
export function missingNeed(needs: readonly Need[], session: Session): string | undefined {
  return needs.map((need) => missing(need, session)).find((sentence) => sentence !== undefined)
}

function missing(need: Need, session: Session): string | undefined {
  const { keys, allowsBurst } = session.settings.target
  switch (need) {
    case 'key':
      return keys.funded === undefined ? WHAT_TO_GIVE.key : undefined
    case 'noCreditsKey':
      return keys.noCredits === undefined ? WHAT_TO_GIVE.noCreditsKey : undefined
    case 'limitedKey':
      return keys.limited === undefined ? WHAT_TO_GIVE.limitedKey : undefined
    case 'smallKey':
      return keys.small === undefined ? WHAT_TO_GIVE.smallKey : undefined
    case 'burst':
      return allowsBurst ? undefined : WHAT_TO_GIVE.burst
    default:
      return missingModel(operationOfNeed(need), session)
  }
}

function missingModel(operation: Operation, session: Session): string | undefined {
  if (session.models.has(operation)) {
    return undefined
  }
  return session.modelProblems.get(operation) ?? `No model for ${operation} was looked for.`
}

const NEED_OF_OPERATION: Readonly<Record<`${Operation}Model`, Operation>> = {
  modelsModel: 'models',
  chatModel: 'chat',
  imagesModel: 'images',
  transcriptionsModel: 'transcriptions',
  speechModel: 'speech',
}

function operationOfNeed(need: `${Operation}Model`): Operation {
  return NEED_OF_OPERATION[need]
}

/** The operations that checks with these needs must have a model for. */
export function operationsNeeded(needs: readonly Need[]): ReadonlySet<Operation> {
  return new Set(
    needs.flatMap((need) => (need in NEED_OF_OPERATION ? [operationOfNeed(need as `${Operation}Model`)] : [])),
  )
}
