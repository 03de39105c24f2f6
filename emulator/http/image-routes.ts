import type { FastifyInstance } from 'fastify'
import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'
import type { EmulatorInstance } from '../instance.ts'
import { createImageResponse } from './generated-image.ts'
import type { ApiHandler } from './api-routes.ts'

/**
 * Registers the route of generated images, whose URLs appear in responses (section 2.4).
 * @param otherwise handles requests for other file names; responds as for an unknown endpoint
 */
export function registerImageRoute(server: FastifyInstance, instance: EmulatorInstance, otherwise: ApiHandler): void {
  server.get<{ Params: { name: string } }>(
    `${IMAGE_PATH_PREFIX}:name`,
    { exposeHeadRoute: true },
    async (request, reply) => {
      const image = createImageResponse(request.params.name, request.headers.authorization, instance)
      if (image === undefined) return otherwise(request, reply)
      const { headers, body } = await image
      return reply.headers(headers).send(body)
    },
  )
}
