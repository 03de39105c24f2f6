import { isRefusal } from './refusals.ts'
import type { Settings } from './settings.ts'
import { admit } from './stages/admit.ts'
import { authenticate } from './stages/authenticate.ts'
import { generate } from './stages/generate.ts'
import { price } from './stages/price.ts'
import type { Received } from './stages/receive.ts'
import { reserve } from './stages/reserve.ts'
import { respond, respondRefusal, type Reply } from './stages/respond.ts'
import { validate } from './stages/validate.ts'
import type { Accounts } from './state/accounts.ts'
import type { Clock } from './state/clock.ts'
import type { Ordinals } from './state/ordinals.ts'
import type { Scheduler } from './timing/scheduler.ts'
import type { TimingRecord } from './timing/timing-record.ts'

/** Everything of an emulator that outlives a request. */
export interface World {
  readonly settings: Settings
  readonly clock: Clock
  readonly accounts: Accounts
  readonly ordinals: Ordinals
  readonly scheduler: Scheduler
  readonly timings: TimingRecord
  /** What is going on now. */
  readonly traffic: { inFlight: number; received: number }
}

/**
 * The path of every request under /v1, from top to bottom, with the status of those that leave at each stage. The types
 * allow no other order. Rejects when the client goes away while its body is read; nothing is held then.
 */
export async function answer(received: Received, world: World): Promise<Reply> {
  const authenticated = authenticate(received, world.accounts) // 401
  if (isRefusal(authenticated)) return respondRefusal(authenticated)

  const admitted = admit(authenticated, world.clock) // 429
  if (isRefusal(admitted)) return respondRefusal(admitted)

  const validated = await validate(admitted, world.settings) // 404, 400
  if (isRefusal(validated)) return respondRefusal(validated)

  const reserved = reserve(price(validated)) // 402
  if (isRefusal(reserved)) return respondRefusal(reserved)

  const { clock, ordinals, settings, traffic } = world
  const generated = generate(reserved, { clock, ordinals, ...settings, inFlight: traffic.inFlight })
  return respond(generated) // settles, at once or at the stream's end
}
