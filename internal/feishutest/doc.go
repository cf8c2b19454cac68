// Package feishutest is a server that behaves like the part of Feishu's open platform that publishing uses: tokens that
// expire, records of a table, searches with filters and pages, codes inside answers with status 200 and 400, and faults on
// demand. It keeps what it was told, so that a test can look at what stands outside.
package feishutest
