import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../answer.ts'
import type { Refusal } from '../refusals.ts'
import { respondRefusal, type Reply, type StreamedReply, type WholeReply } from '../stages/respond.ts'
import { writeStream } from './write-stream.ts'

/** What is known of a request while its answer is sent. */
export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** When the request came in, on the clock's monotonic scale. */
  readonly startedAtMs: number
  /** Requests that were being answered then, this one included. */
  readonly inFlight: number
}

/** Sends an answer when it is due, and records how punctual that was. */
export function sendReply(exchange: Exchange, answered: Reply, world: World): Promise<FastifyReply> {
  return 'body' in answered ? sendWhole(exchange, answered, world) : sendStream(exchange, answered, world)
}

async function sendWhole(exchange: Exchange, answered: WholeReply, world: World): Promise<FastifyReply> {
  const { request, reply, startedAtMs, inFlight } = exchange
  const { operation, dueMs } = answered
  if (dueMs > 0) await new Promise<void>((resolve) => world.scheduler.at(startedAtMs + dueMs, resolve))
  if (operation !== undefined) {
    const writtenMs = [world.clock.nowMs() - startedAtMs]
    world.timings.add({ requestId: request.id, operation, inFlight, plannedMs: [dueMs], writtenMs })
  }
  return reply.code(answered.status).headers(answered.headers).send(answered.body)
}

async function sendStream(exchange: Exchange, answered: StreamedReply, world: World): Promise<FastifyReply> {
  const { request, reply, startedAtMs, inFlight } = exchange
  reply.hijack()
  const headers = { ...reply.getHeaders(), ...answered.headers } as Record<string, string> // Fastify types them wider
  const { clock, scheduler } = world
  const { plannedMs, writtenMs } = await writeStream(
    reply.raw,
    { ...answered, headers },
    { clock, scheduler, startedAtMs },
  )
  world.timings.add({
    requestId: request.id,
    operation: answered.operation,
    inFlight,
    plannedMs: Float32Array.from(plannedMs), // half the memory, and exact to a microsecond up to 16 s
    writtenMs: Float32Array.from(writtenMs),
  })
  return reply
}

/** Sends a refusal that no stage gave. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, headers, body } = respondRefusal(refusal)
  return reply.code(status).headers(headers).send(body)
}
