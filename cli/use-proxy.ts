import http from 'node:http'
import https from 'node:https'
import { reportProxy } from './report-proxy.ts'

/** Routes this process's requests to an upstream through a proxy, if the environment configures one for it. */
export function useProxy(upstream: string): void {
  const proxy = reportProxy(upstream)
  if (proxy === undefined) return
  const options = { keepAlive: true, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }
  http.globalAgent = new http.Agent(options)
  https.globalAgent = new https.Agent(options)
}
