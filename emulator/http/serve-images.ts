import type { FastifyInstance } from 'fastify'
import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'
import { readImageName } from '../media/image-name.ts'
import { drawPng } from '../media/png.ts'
import type { Handler } from './serve-v1.ts'

/**
 * Serves the images whose URLs answers gave (section 2.4), drawn anew each time from what the name says. They are public,
 * as the URL is all that a client hands on; every other name goes the way of an unknown endpoint, key and all.
 */
export function serveImages(server: FastifyInstance, seed: number, otherwise: Handler): void {
  server.get<{ Params: { name: string } }>(
    `${IMAGE_PATH_PREFIX}:name`,
    { exposeHeadRoute: true },
    async (request, reply) => {
      const plan = readImageName(request.params.name, seed)
      if (plan === undefined) return otherwise(request, reply)
      const png = await drawPng({ width: plan.width, height: plan.height, seed: Buffer.from(plan.pattern, 'hex') })
      return reply.headers({ 'content-type': 'image/png', 'cache-control': 'public, immutable' }).send(png)
    },
  )
}
