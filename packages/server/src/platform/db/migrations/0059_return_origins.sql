-- Where the person who began an authorization opened the dashboard: they go back there, because their cookie is only sent there.
alter table mcp_oauth_flows add column return_origin text check (return_origin ~ '^https?://[^/?#@[:space:]]+$');
