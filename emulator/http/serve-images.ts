import type { FastifyInstance, FastifyRequest } from 'fastify'
import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'
import { readImageName } from '../media/image-name.ts'
import { drawPng } from '../media/png.ts'
import type { World } from '../answer.ts'
import { isRefusal } from '../refusals.ts'
import { authenticate } from '../stages/authenticate.ts'
import type { Handler } from './serve-v1.ts'

/**
 * Serves the images whose URLs answers gave (section 2.4), drawn anew each time from what the name says. Every other name,
 * and a request without a key where one is needed, goes the way of an unknown endpoint.
 */
export function serveImages(server: FastifyInstance, { settings, accounts }: World, otherwise: Handler): void {
  const { seed, decisions } = settings
  const mayLook = ({ headers }: FastifyRequest) =>
    decisions['image-urls'] === 'public' ||
    !isRefusal(authenticate({ authorization: headers.authorization }, accounts, decisions))

  server.get<{ Params: { name: string } }>(
    `${IMAGE_PATH_PREFIX}:name`,
    { exposeHeadRoute: true },
    async (request, reply) => {
      const plan = readImageName(request.params.name, seed)
      if (plan === undefined || !mayLook(request)) return otherwise(request, reply)
      const png = await drawPng({ width: plan.width, height: plan.height, seed: Buffer.from(plan.pattern, 'hex') })
      return reply.headers({ 'content-type': 'image/png', 'cache-control': 'public, immutable' }).send(png)
    },
  )
}
