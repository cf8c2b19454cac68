package workspace

import (
	"slices"
	"strings"
)

// unsafeReason says why a folder on a file system of this type and at this path, symbolic links followed, cannot hold
// a workspace; nothing if it can. File systems it does not know are taken for local.
func unsafeReason(kind, dir string) string {
	if isNetwork(kind) {
		return "lies on a network file system (" + kind + ")"
	}
	if strings.HasPrefix(dir, `\\`) && !strings.HasPrefix(dir, `\\?\`) && !strings.HasPrefix(dir, `\\.\`) {
		return "lies on a network share"
	}
	parts := strings.FieldsFunc(dir, func(r rune) bool { return r == '/' || r == '\\' })
	for i, part := range parts {
		if name := cloudOf(part); name != "" {
			return "is synced by " + name
		}
		if part == "CloudStorage" && i > 0 && parts[i-1] == "Library" {
			return "is synced to a cloud"
		}
	}
	return ""
}

func isNetwork(kind string) bool {
	switch kind {
	case "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "afpfs", "ceph", "coda", "ncpfs", "lustre",
		"gpfs", "orangefs", "webdav", "ftp", "remote":
		return true
	}
	driver, ok := strings.CutPrefix(kind, "fuse.")
	return ok && slices.Contains([]string{
		"sshfs", "rclone", "s3fs", "gcsfuse", "goofys", "mount-s3", "blobfuse", "blobfuse2", "davfs", "davfs2", "glusterfs",
		"ceph", "ceph-fuse", "juicefs", "JuiceFS", "seaweedfs", "moosefs", "curlftpfs", "gvfsd-fuse", "kio-fuse", "afpfs",
		"smbnetfs", "google-drive-ocamlfuse", "onedriver", "seadrive", "pCloud.fs", "keybase-redirector", "kbfs",
	}, driver)
}

// cloudOf names the service whose client makes folders of this name. Case counts: a client writes its own name with
// capitals, a program's source in a folder "dropbox" is no synced folder.
func cloudOf(part string) string {
	for _, name := range []string{
		"Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "ownCloud", "iCloud Drive", "iCloudDrive",
		"MEGAsync", "Box Sync", "pCloudDrive", "pCloud Drive", "Proton Drive", "Seafile", "Yandex.Disk", "Nutstore", "坚果云",
	} {
		rest, ok := strings.CutPrefix(part, name)
		if ok && (rest == "" || strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, " - ")) {
			return name
		}
	}
	if part == "Mobile Documents" {
		return "iCloud Drive"
	}
	return ""
}
