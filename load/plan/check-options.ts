import { unitsPerToken } from '../../scenarios/lib/credits.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import type { LoadOptions } from '../options/load-options.ts'
import { LoadUsageError } from '../options/invalid-option-error.ts'

/** What is told of a target before anything is sent to it. @throws LoadUsageError where something lacks, or is no use */
export function checkNeeds(options: LoadOptions): void {
  const { scenario, target, limit, smallBalance, models, keys, startAtUnixMs, countsPrompts, segment } = options
  if (scenario === 'rate-limit' && target !== undefined && limit === undefined) {
    throw new LoadUsageError(
      'The scenario rate-limit needs to know the limit of that key: tell it like --limit 60/60s.',
    )
  }
  if (scenario === 'credit-drain' && target !== undefined && smallBalance === undefined) {
    throw new LoadUsageError(
      'The scenario credit-drain needs to know what that account holds: tell it like --small-balance 1.25.',
    )
  }
  if (scenario === 'credit-drain' && models.chat !== undefined && unitsPerToken(models.chat) === undefined) {
    throw new LoadUsageError(`The document has no price for ${models.chat}: credit-drain needs a model that it lists.`)
  }
  if (countsPrompts === true && segment !== undefined) {
    throw new LoadUsageError(
      '--count-prompts is for a run as a whole: each part of one would ask, and pay, for all of its prompts.',
    )
  }
  checkStart(startAtUnixMs)
  for (const [role, key] of Object.entries(keys)) {
    // Not told: it may be a key with something beside it.
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new LoadUsageError(
        `The ${role} key has characters that no header can carry: look for line ends and quotes.`,
      )
    }
  }
}

/** Building k6 and calibrating take time, too: asked once more before anything is sent. @throws LoadUsageError */
export function checkStart(startAtUnixMs: number | undefined): void {
  if (startAtUnixMs === undefined || startAtUnixMs >= Date.now()) return
  const lateS = Math.ceil((Date.now() - startAtUnixMs) / 1000)
  throw new LoadUsageError(
    `--start-at ${new Date(startAtUnixMs).toISOString()} passed ${lateS} s before this run was ready: name a later time.`,
  )
}

/** A plan is held in memory, and each of its prompts is looked at for the forecast. */
const MOST_REQUESTS = 2_000_000

/** Each takes a megabyte or more, from the start. */
const MOST_VUS = 10_000

/** @throws LoadUsageError where more is planned than can be held, or less than can be shared among so many parts */
export function checkSize({ arrivals, stages, iterations, vus }: LoadSettings, parts: number): void {
  if (vus > MOST_VUS) {
    throw new LoadUsageError(
      `--vus ${vus} are more clients than one process can hold: ${MOST_VUS} are the most, and --segment shares more among machines.`,
    )
  }
  // k6 gives each part whole clients, and a part without one would send nothing.
  const clients = Math.min(vus, iterations ?? vus)
  if (clients < parts) {
    throw new LoadUsageError(
      `${clients} ${clients === 1 ? 'client' : 'clients'} cannot be shared by ${parts} parts: raise --vus, and --iterations where given, to ${parts} at least.`,
    )
  }
  const planned = stages.reduce((sum, { durationS, from, to }) => sum + (durationS * (from + to)) / 2, 0)
  const count = arrivals === 'closed' ? (iterations ?? 0) : planned
  if (count <= MOST_REQUESTS) return
  throw new LoadUsageError(
    `This would be ${Math.round(count)} requests, and ${MOST_REQUESTS} are the most that one run plans: make it shorter, or a closed loop with --duration.`,
  )
}
