import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { createTunnelAgent } from './proxy-tunnel.ts'

/** A keep-alive connection for sequential requests. If the target closes it, the next request opens a new one. */
export interface KeepAliveConnection {
  agentFor(url: string, proxy?: string): HttpAgent
  close(): void
}

/** Creates a connection, which the caller must close. A check with a connection must run `alone`. */
export function createKeepAliveConnection(): KeepAliveConnection {
  const agents = new Map<string, HttpAgent>()
  return {
    agentFor(url, proxy) {
      const { protocol } = new URL(url)
      const agent = agents.get(protocol) ?? createAgent(protocol, proxy)
      agents.set(protocol, agent)
      return agent
    },
    close() {
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

function createAgent(protocol: string, proxy: string | undefined): HttpAgent {
  const options = { keepAlive: true, maxSockets: 1 }
  if (proxy !== undefined) return createTunnelAgent(protocol, proxy, options)
  return protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
}
